import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget, type ReadBudget } from '../../../src/reconciliation/read-budget.ts'
import { createSharedPace } from '../../../src/reconciliation/site-pace.ts'
import type { Lease, Store } from '../../../src/store/store.ts'
import { UpstreamFault } from '../../../src/upstream/client/upstream-fault.ts'
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
    const clock = { now: async () => time.clock() }
    const budget = createReadBudget({
      timer,
      logger,
      sharedPace: (site, perSecond) =>
        createSharedPace({ store: clock, paces: present(store.paces), site, perSecond, leader, logger, timer }),
    })
    budgets.push(budget)
    return budget
  }

  const note = (order: string[], name: string) => (permit: { end(error: unknown): unknown } | null) => {
    order.push(name)
    permit?.end(null)
  }

  it('goes to a person at any node before planned reads', async () => {
    const [leader, other] = [join(), join()]
    const order: string[] = []
    for (const n of [1, 2, 3, 4, 5]) void leader.acquire('au', 'poll').then(note(order, `plan ${n}`))
    await time.pass(0)
    for (const n of [1, 2]) void other.acquire('au', 'person').then(note(order, `person ${n}`))
    await time.pass(10 * SECOND)
    expect(order).toEqual(['plan 1', 'plan 2', 'person 1', 'person 2', 'plan 3', 'plan 4', 'plan 5'])
  })

  it('goes to planned reads too, however many persons wait at other nodes', async () => {
    const [leader, other] = [join(), join()]
    let planned = 0
    let ended = false
    const person = async () => {
      while (!ended) (await other.acquire('au', 'person').catch(() => null))?.end(null)
    }
    const plan = async () => {
      while (!ended) {
        const permit = await leader.acquire('au', 'poll')
        permit?.end(null)
        planned += Number(permit !== null)
      }
    }
    const working = [person(), person(), person(), plan()]
    await time.pass(MINUTE)
    expect(planned).toBeGreaterThanOrEqual(8)
    expect(planned).toBeLessThan(60)
    ended = true
    await time.pass(10 * SECOND)
    await Promise.all(working)
  })

  it('is not used up by permits that were not used', async () => {
    const [leader, other] = [join(), join()]
    for (let n = 0; n < 5; n++) (await leader.acquire('au', 'poll'))?.cancel()
    await time.pass(0)
    const order: string[] = []
    for (const n of [1, 2]) void other.acquire('au', 'person').then(note(order, `person ${n}`))
    await time.pass(SECOND - 1)
    expect(order).toEqual(['person 1', 'person 2'])
  })

  it('is slower for all after a 429 at one', async () => {
    const [one, other] = [join(), join()]
    const throttled = new UpstreamFault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 30 })
    ;(await one.acquire('au', 'person')).end(throttled)
    await time.pass(SECOND)
    // It learns of the pause with the next slot that it takes, as for a person, whom the pause does not stop.
    const own = await other.acquire('au', 'person')
    expect(other.heldMs('au')).toBe(29 * SECOND)
    expect(await other.acquire('au', 'poll')).toBeNull()
    own.end(null)
    const [planned] = await Promise.all([other.acquire('au', 'poll'), time.pass(4 * SECOND)])
    expect(planned).not.toBeNull()
  })

  it('is refused for planned reads once another process has the lease, and not for persons', async () => {
    const budget = join()
    await store.leases.take('reader', 'another', { now: after(MINUTE), until: after(2 * MINUTE) })
    expect(await budget.acquire('au', 'poll')).toBeNull()
    expect(lost).toBe(1)
    expect(await budget.acquire('au', 'poll')).toBeNull()
    ;(await budget.acquire('au', 'person')).end(null)
  })

  it('keeps no person waiting for longer than its operation lasts', async () => {
    const [one, other, third] = [join(), join(), join()]
    const outcomes: string[] = []
    for (const budget of [one, other, third])
      for (let n = 0; n < 10; n++)
        void budget.acquire('au', 'person').then(note(outcomes, 'granted'), () => void outcomes.push('refused'))
    await time.pass(8 * SECOND)
    expect(outcomes).toHaveLength(30)
    const granted = outcomes.filter((outcome) => outcome === 'granted').length
    expect(granted).toBeGreaterThanOrEqual(12)
    expect(granted).toBeLessThanOrEqual(16)
  })
})
