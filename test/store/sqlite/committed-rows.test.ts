import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentLink } from '../../../src/domain/payments/payment-link.ts'
import { PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { cacheCommittedRows } from '../../../src/store/committed-rows.ts'
import { toLink } from '../../../src/store/rows/link-rows.ts'
import { toPayment } from '../../../src/store/rows/payment-rows.ts'
import { transactionSteps } from '../../../src/store/sqlite/sqlite-connection.ts'
import { sqliteTransaction } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { openSqliteStore } from '../../support/store.ts'
import { after, delivery, link, MINUTE, NOW, report, settledLink } from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'
import { WatchedDatabase } from './watched-database.ts'

const REFS = ['a', 'b', 'c']
const LINK_IDS = REFS.map((ref) => `LINK-${ref}`)
const PAYMENT_IDS = REFS.flatMap((ref) => [`P-${ref}-0`, `P-${ref}-1`])

/** The next action. It does not wait for the actions before it; `turns` microtasks pass in between. */
const step = record({
  act: constantFrom('deliver', 'deliver', 'deliver', 'read', 'read', 'read', 'purge', 'refuse', 'wait'),
  link: nat(REFS.length - 1),
  payment: nat(1),
  status: constantFrom(...PAYMENT_STATUSES),
  turns: nat(12),
})
type Step = typeof step extends { generate(...given: never[]): { readonly value: infer Value } } ? Value : never

describe('the cache of committed rows', () => {
  let file: SqliteFile
  let store: Store
  let stored: DatabaseSync
  let refusals = 0
  let deliveries = 0

  beforeAll(async () => {
    file = await sqliteFile()
    store = await openSqliteStore({ path: file.path, connect: () => refusingDatabase(file.path) })
    stored = new DatabaseSync(file.path, { readOnly: true })
    for (const ref of REFS) await settledLink(store, ref)
  })
  afterAll(async () => {
    stored.close()
    await store.close()
    await file.remove()
  })

  it('holds nothing but what is committed at that moment, whatever is written and read side by side', async () => {
    const linkOf = stored.prepare('SELECT * FROM links WHERE id = ?')
    const paymentOf = stored.prepare('SELECT state_json FROM payments WHERE id = ?')
    let found = 0
    const examine = () => {
      for (const id of LINK_IDS) {
        const cached = store.links.cached(id)
        if (cached === undefined) continue
        found += 1
        expect(cached).toEqual(toLink(linkOf.get(id) as unknown as Parameters<typeof toLink>[0]))
      }
      for (const id of PAYMENT_IDS) {
        const cached = store.payments.cached(id)
        if (cached === undefined) continue
        found += 1
        expect(cached).toEqual(toPayment(String(paymentOf.get(id)?.['state_json'])))
      }
    }
    const play = async (steps: readonly Step[]) => {
      const running: Promise<unknown>[] = []
      for (const next of steps) {
        running.push(begin(next))
        for (let turn = 0; turn < next.turns; turn += 1) {
          examine()
          await Promise.resolve()
        }
        if (next.act === 'wait') await setImmediate()
        examine()
      }
      await Promise.all(running)
      examine()
    }
    await assert(asyncProperty(array(step, { minLength: 10, maxLength: 40 }), play), { numRuns: 60 })
    expect(found).toBeGreaterThan(1_000)
  })

  it.each([
    { read: 'before', arrives: 'before', isCached: true },
    { read: 'before', arrives: 'during', isCached: false },
    { read: 'before', arrives: 'after', isCached: false },
    { read: 'during', arrives: 'during', isCached: false },
    { read: 'during', arrives: 'after', isCached: false },
    { read: 'after', arrives: 'after', isCached: true },
  ])('keeps a row that is read $read and arrives $arrives a transaction: $isCached', async (moments) => {
    const database = new DatabaseSync(':memory:')
    const { rows, steps } = cacheCommittedRows(transactionSteps(database), sqliteTransaction(database))
    const { promise, resolve } = Promise.withResolvers<PaymentLink[]>()
    const reading: Promise<unknown>[] = []
    const reach = async (moment: string) => {
      if (moments.read === moment) reading.push(rows.links.read(['LINK-a'], () => promise))
      if (moments.arrives !== moment) return
      resolve([link('a')])
      await Promise.all(reading)
    }
    await reach('before')
    steps.begin()
    await reach('during')
    steps.commit()
    await reach('after')
    expect(rows.links.get('LINK-a') !== undefined).toBe(moments.isCached)
    database.close()
  })

  it('answers with frozen rows, and reads what it does not hold', async () => {
    await store.links.byIds(['LINK-a'])
    const cached = store.links.cached('LINK-a')
    expect(Object.isFrozen(cached) && Object.isFrozen(cached?.requestedAmount)).toBe(true)
    const rows = await store.links.byIds(['LINK-b', 'LINK-a', 'LINK-none'])
    expect(rows.map(({ id }) => id).toSorted()).toEqual(['LINK-a', 'LINK-b'])
    expect(store.links.cached('LINK-none')).toBeUndefined()
  })

  async function begin({ act, payment, status, ...next }: Step): Promise<unknown> {
    const ref = REFS[next.link] ?? ''
    deliveries += 1
    if (act === 'read') return Promise.all([store.links.byIds(LINK_IDS), store.payments.byIds(PAYMENT_IDS)])
    if (act === 'refuse') refusals += 1
    if (act === 'wait' || act === 'refuse') return undefined
    const said = report(status, { paymentId: `P-${ref}-${payment}` })
    const received = delivery(said, { ref, bytes: `${deliveries}`, receivedAt: after(deliveries, NOW) })
    const writing = act === 'purge' ? store.commands.purge(after(-MINUTE)) : store.inbox.receive(received)
    // Rejects if the commit is refused.
    return writing.catch(() => null)
  }

  /** Opens a database that refuses the next `refusals` commits. */
  function refusingDatabase(path: string): DatabaseSync {
    const database = new WatchedDatabase(path)
    database.intercept = (sql) => {
      if (sql !== 'COMMIT' || refusals === 0) return sql
      refusals -= 1
      throw new Error('The commit is refused.')
    }
    return database
  }
})
