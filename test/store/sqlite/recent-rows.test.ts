import { DatabaseSync } from 'node:sqlite'
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { AGREEMENT_STATUSES } from '../../../src/domain/agreements/agreement-report.ts'
import { PAYMENT_STATUSES, type PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import {
  after,
  agreementReport,
  callback,
  delivery,
  NO_AGREEMENT_PAYER,
  NOW,
  report,
  settledLink,
} from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'
import { WatchedDatabase } from './watched-database.ts'

const TABLES = 'payments payment_payers links payins agreements agreement_payers deliveries events'.split(' ')
const PAYERS = [
  { name: 'Ada Payer', email: 'ada@example.test' },
  { name: 'Bob Payer', email: null },
  { name: null, email: null },
]

/** Several acts are one batch; what a batch throws is part of the comparison. */
const act = record({
  kind: constantFrom(
    ...Array<'pay'>(8).fill('pay'),
    ...(['agree', 'erase', 'erase', 'link', 'refuse', 'reopen'] as const),
  ),
  payment: nat(3),
  link: nat(2),
  payer: nat(PAYERS.length - 1),
  status: constantFrom(...PAYMENT_STATUSES, 'unheard_of'),
  agreement: constantFrom(...AGREEMENT_STATUSES),
  repeats: nat(1),
})
type Act = typeof act extends { generate(...given: never[]): { readonly value: infer Value } } ? Value : never

/** A store, whose next commits can be refused. */
class Subject {
  readonly #cacheRows: boolean
  readonly #file: SqliteFile
  #refusals = 0
  #store!: Store

  constructor(file: SqliteFile, cacheRows: boolean) {
    this.#file = file
    this.#cacheRows = cacheRows
  }

  async open(): Promise<this> {
    const connect = (path: string) => {
      const database = new WatchedDatabase(path)
      database.intercept = (sql) => {
        if (sql !== 'COMMIT' || this.#refusals === 0) return sql
        this.#refusals -= 1
        throw new Error('The commit is refused.')
      }
      return database
    }
    this.#store = await openSqliteStore({
      path: this.#file.path,
      cacheRows: this.#cacheRows,
      clock: () => NOW,
      connect,
    })
    return this
  }

  close = () => this.#store.close()

  async play(batch: readonly Act[], turn: number): Promise<readonly string[]> {
    const results = await Promise.allSettled(batch.map((each, index) => this.#do(each, turn * 100 + index)))
    if (batch.some(({ kind }) => kind === 'reopen')) {
      await this.close()
      await this.open()
    }
    return results.map(({ status }) => status)
  }

  async #do({ kind, payment, link, payer, status, agreement, repeats }: Act, number: number): Promise<unknown> {
    const bytes = repeats === 0 ? 'same' : `${number}`
    const receivedAt = after(number * 1_000)
    if (kind === 'refuse') return (this.#refusals = 1)
    if (kind === 'link') return settledLink(this.#store, `ref-${link}`)
    if (kind === 'erase') {
      const request = {
        kind: 'PAYMENT',
        value: `P${payment}`,
        valueHash: 'hash',
        requestedBy: null,
        requestedAt: NOW,
      } as const
      return this.#store.erasures.step((await this.#store.erasures.begin(request)).number, receivedAt)
    }
    if (kind === 'agree') {
      const said = agreementReport(agreement, { payer: { ...NO_AGREEMENT_PAYER, name: PAYERS[payer]?.name ?? null } })
      return this.#store.inbox.receiveAgreement(callback(said, { ref: 'agr', bytes, receivedAt }))
    }
    const said = report(status, {
      paymentId: `P${payment}`,
      linkId: payment === 0 ? `LINK-ref-${link}` : null,
      payer: PAYERS[payer] ?? { name: null, email: null },
      details: { reference: `order-${number % 3}` },
    })
    return this.#store.inbox.receive(delivery(said, { ref: payment < 2 ? `ref-${link}` : null, bytes, receivedAt }))
  }

  rows(): unknown {
    const database = new DatabaseSync(this.#file.path, { readOnly: true })
    const all = TABLES.map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all()])
    database.close()
    return all
  }
}

it('stores the same with the rows of recent decisions as without', async () => {
  const play = async (batches: readonly (readonly Act[])[]) => {
    const files = [await sqliteFile(), await sqliteFile()]
    const subjects = await Promise.all(files.map((file, index) => new Subject(file, index === 0).open()))
    try {
      for (const [turn, batch] of batches.entries()) {
        const [cached, plain] = await Promise.all(subjects.map((subject) => subject.play(batch, turn)))
        expect(cached).toEqual(plain)
      }
      const [cached, plain] = subjects.map((subject) => subject.rows())
      expect(cached).toEqual(plain)
    } finally {
      for (const subject of subjects) await subject.close()
      for (const file of files) await file.remove()
    }
  }
  await assert(
    asyncProperty(array(array(act, { minLength: 1, maxLength: 4 }), { minLength: 10, maxLength: 30 }), play),
    {
      numRuns: 40,
    },
  )
})

it('finds a payer erased who was erased since the last decision about the payment', async () => {
  const file = await sqliteFile()
  const store = await openSqliteStore({ path: file.path })
  const pay = (status: string, payer: PaymentReport['payer']) =>
    store.inbox.receive(delivery(report(status, { paymentId: 'P1', payer }), { bytes: status }))
  await pay('pending', { name: 'Ada Payer', email: 'ada@example.test' })
  const erasing = { kind: 'PAYMENT', value: 'P1', valueHash: 'hash', requestedBy: null, requestedAt: NOW } as const
  await store.erasures.step((await store.erasures.begin(erasing)).number, NOW)
  await pay('received', { name: 'Bob Payer', email: null })
  await store.close()
  const database = new DatabaseSync(file.path, { readOnly: true })
  expect(database.prepare('SELECT name, email FROM payment_payers').all()).toEqual([{ name: null, email: null }])
  database.close()
  await file.remove()
})
