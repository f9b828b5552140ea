import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget, type ReadBudget } from '../../../src/reconciliation/read-budget.ts'
import type { Lease } from '../../../src/store/port.ts'
import { UpstreamFault } from '../../../src/upstream/upstream-fault.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { watched } from '../../support/under-way.ts'
import { type VirtualTime, virtualTime } from '../../support/virtual-time.ts'
import { after, MINUTE, NOW, present } from '../contract/builders.ts'

const server = await findPostgres()
const SECOND = 1_000

// promise(facts): Nodes together read a site at the rate of one, and pause together after a 429.
describe.skipIf(server === null)('the budget of a site at several nodes', () => {
  let database: Database
  let store: Store
  let time: VirtualTime
  let lease: Lease
  let lost: number
  let budgets: ReadBudget[]

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase({ migrated: true })
  })
  beforeEach(async () => {
    const opened = watched(await openPostgresStore({ url: database.url }))
    store = opened.thing
    time = virtualTime({ start: NOW, isQuiet: () => opened.underWay() === 0 })
    lease = present(await store.leases.take('reader', 'leader', { now: NOW, until: after(MINUTE) }))
    lost = 0
    budgets = []
  })
  afterEach(async () => {
    for (const budget of budgets) budget.close()
    await time.pass(0)
    await store.close()
    await database.run('DELETE FROM read_paces; DELETE FROM leases')
  })
  afterAll(() => database?.drop())

  /** Creates the budget of a node on the database. Its clock is the virtual one. */
  function join(): ReadBudget {
    const logger = createLogger({ level: 'silent' })
    const { timer } = time
    const leader = { lease: () => (lost === 0 ? lease : null), lost: () => (lost += 1) }
    const budget = createReadBudget({
      store: { now: async () => time.clock(), paces: store.paces },
      leader,
      timer,
      logger,
    })
    budgets.push(budget)
    return budget
  }

  const note = (order: string[], name: string) => (permit: { end(error: unknown): unknown } | null) => {
    order.push(name)
    permit?.end(null)
  }

  it('is two reads in any second, whichever nodes take them', async () => {
    const instants: number[] = []
    const reading = [join(), join(), join()].flatMap((budget) =>
      Array.from({ length: 4 }, async () => {
        const permit = await budget.acquire('au', 'person').catch(() => null)
        if (permit !== null) instants.push(time.elapsed())
        permit?.end(null)
      }),
    )
    await time.pass(8 * SECOND)
    await Promise.all(reading)
    expect(instants).toEqual(Array.from({ length: 12 }, (_, n) => n * 500))
  })

  it('goes to persons at other nodes and to planned reads in turn', async () => {
    const [leader, other] = [join(), join()]
    const order: string[] = []
    for (const n of [1, 2, 3]) void leader.acquire('au', 'planned').then(note(order, `plan ${n}`))
    await time.pass(0)
    for (const n of [1, 2]) void other.acquire('au', 'person').then(note(order, `person ${n}`))
    await time.pass(10 * SECOND)
    expect(order).toEqual(['plan 1', 'plan 2', 'person 1', 'plan 3', 'person 2'])
  })

  it('is slower for all after a 429 at one', async () => {
    const [one, other] = [join(), join()]
    const throttled = new UpstreamFault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 30 })
    ;(await one.acquire('au', 'person')).end(throttled)
    await time.pass(SECOND)
    // It learns of the pause with the next slot that it asks for.
    expect(await other.acquire('au', 'planned')).toBeNull()
    expect(other.heldMs('au')).toBe(29 * SECOND)
    ;(await other.acquire('au', 'person')).end(null)
    const [planned] = await Promise.all([other.acquire('au', 'planned'), time.pass(2 * SECOND)])
    expect(planned).not.toBeNull()
  })

  it('is refused for planned reads once another process has the lease, and not for persons', async () => {
    const budget = join()
    await store.leases.take('reader', 'another', { now: after(MINUTE), until: after(2 * MINUTE) })
    expect(await budget.acquire('au', 'planned')).toBeNull()
    expect(lost).toBe(1)
    expect(await budget.acquire('au', 'planned')).toBeNull()
    ;(await budget.acquire('au', 'person')).end(null)
  })
})
