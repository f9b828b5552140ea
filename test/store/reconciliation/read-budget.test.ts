import { describe, expect, it, onTestFinished } from 'vitest'
import type { Urgency } from '../../../src/domain/reads/read-pace.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget, type ReadBudget, type ReadPermit } from '../../../src/reconciliation/read-budget.ts'
import { type FaultDetail, UpstreamFault } from '../../../src/upstream/upstream-fault.ts'
import type { VirtualTime } from '../../support/virtual-time.ts'
import { NOW, present } from '../contract/builders.ts'
import { openStoreInVirtualTime } from './virtual-store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

type Fixture = {
  readonly time: VirtualTime
  readonly budget: ReadBudget
  readonly lines: readonly string[]
  leads: boolean
}

async function setUp(): Promise<Fixture> {
  const { store, time, destroy } = await openStoreInVirtualTime()
  const lease = present(await store.leases.take('reader', 'test', { now: NOW, until: NOW }))
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const leader = { lease: () => (fixture.leads ? lease : null), lost: () => {} }
  const logger = createLogger({ level: 'info', destination })
  const budget = createReadBudget({ store, leader, timer: time.timer, logger })
  onTestFinished(async () => {
    budget.close()
    await time.pass(0)
    await destroy()
  })
  const fixture = { time, budget, lines, leads: true }
  return fixture
}

const fault = (detail: FaultDetail) => new UpstreamFault(detail)
const throttled = (retryAfterSeconds: number | null = null) =>
  fault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds })
const OUT_OF_REACH = fault({ kind: 'not-sent', reason: 'refused' })
const CREDENTIALS = fault({ kind: 'credentials', httpStatus: 401, site: 'au' })

/** Waits for a permit for a planned read, in virtual time. */
async function take({ time, budget }: Fixture, site = 'au'): Promise<ReadPermit | null> {
  let taken: ReadPermit | null | undefined
  void budget.acquire(site, 'planned').then((permit) => (taken = permit))
  await time.passUntil(() => taken !== undefined, MINUTE)
  return taken ?? null
}

/** Takes permits for `milliseconds`, each of which ends with the result of `end`. Returns the times of the permits since the start. */
async function permitsWithin({ time, budget }: Fixture, milliseconds: number, end: () => unknown) {
  const instants: number[] = []
  const begun = time.elapsed()
  let going = true
  const worker = async () => {
    while (going) {
      const permit = await budget.acquire('au', 'planned')
      if (permit === null) return
      if (!going) return permit.cancel()
      instants.push(time.elapsed() - begun)
      permit.end(end())
    }
  }
  void worker()
  await time.pass(milliseconds)
  going = false
  return instants
}

describe('the budget of a site', () => {
  it('is two reads in any second', async () => {
    const instants = await permitsWithin(await setUp(), 60 * SECOND, () => null)
    expect(instants.length).toBeGreaterThanOrEqual(120)
    for (const [index, instant] of instants.entries())
      expect(instant - (instants[index - 2] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(SECOND)
  })

  it('is not touched by another site', async () => {
    const fixture = await setUp()
    for (const site of ['au', 'jp']) expect(await take(fixture, site)).not.toBeNull()
    expect(fixture.time.elapsed()).toBe(0)
  })

  it('goes to persons first, then to what is planned, and to one comparison in three reads', async () => {
    const { time, budget } = await setUp()
    const order: string[] = []
    const wait = async (urgency: Urgency) => {
      const granted = await (urgency === 'person' ? budget.acquire('au', urgency) : budget.acquire('au', urgency))
      order.push(urgency)
      granted?.end(null)
    }
    const waiting = ['comparison', 'comparison', 'planned', 'planned', 'planned', 'person', 'person'] as const
    const all = waiting.map(wait)
    await time.pass(10 * SECOND)
    await Promise.all(all)
    expect(order).toEqual(['person', 'person', 'planned', 'comparison', 'planned', 'planned', 'comparison'])
  })

  it('lets a person through although planned reads wait for a slow service', async () => {
    const fixture = await setUp()
    for (let n = 0; n < 2; n++) await take(fixture)
    let planned = false
    void fixture.budget.acquire('au', 'planned').then(() => (planned = true))
    await fixture.time.pass(MINUTE)
    expect(planned).toBe(false)
    await fixture.budget.acquire('au', 'person')
  })

  it('tells a person at once when too many wait already, and when it takes too long', async () => {
    const { time, budget } = await setUp()
    const waiting = Array.from({ length: 10 }, () => budget.acquire('au', 'person'))
    const refused = { detail: { kind: 'not-sent', reason: 'no-slot' } }
    await expect(budget.acquire('au', 'person')).rejects.toMatchObject(refused)
    const settled = Promise.allSettled(waiting.map(async (one) => (await one).end(throttled())))
    await time.pass(7 * SECOND)
    const granted = (await settled).filter(({ status }) => status === 'fulfilled')
    expect(granted.length).toBeGreaterThanOrEqual(3)
    expect(granted.length).toBeLessThan(10)
  })

  it('is for the leader alone, but for persons', async () => {
    const fixture = await setUp()
    fixture.leads = false
    expect(await take(fixture)).toBeNull()
    await fixture.budget.acquire('au', 'person')
  })
})

describe('a service that wants fewer reads', () => {
  it('gets half as many after each refusal', async () => {
    const instants = await permitsWithin(await setUp(), 2 * MINUTE, () => throttled())
    const gaps = instants.slice(1).map((instant, index) => instant - (instants[index] ?? 0))
    expect(gaps.slice(0, 5)).toEqual([1, 2, 4, 8, 8].map((seconds) => seconds * SECOND))
  })

  it('is left alone for as long as it asks, but for persons at the lower rate, until it answers one of them', async () => {
    const fixture = await setUp()
    const { time, budget, lines } = fixture
    expect((await take(fixture))?.end(throttled(90))).toMatchObject({ kind: 'throttled', mayBeItsOwn: false })
    await time.pass(89 * SECOND)
    expect(await take(fixture)).toBeNull()
    expect(budget.heldMs('au')).toBe(SECOND)
    const asked: number[] = []
    const ask = async () => {
      const own = await budget.acquire('au', 'person')
      asked.push(time.elapsed())
      own.end(asked.length < 3 ? throttled(90) : null)
    }
    for (let n = 0; n < 3; n++) void ask()
    await time.pass(SECOND)
    expect(asked).toEqual([89 * SECOND, 90 * SECOND])
    expect(budget.heldMs('au')).toBe(90 * SECOND)
    expect(await take(fixture, 'jp')).not.toBeNull()
    await time.pass(4 * SECOND)
    expect(asked).toHaveLength(3)
    expect(budget.heldMs('au')).toBe(0)
    expect(await take(fixture)).not.toBeNull()
    expect(lines).toHaveLength(1)
  })

  it('is left alone when it is unavailable, and says for how long', async () => {
    const fixture = await setUp()
    const unavailable = fault({ kind: 'unknown', reason: 'server-error', httpStatus: 503, retryAfterSeconds: 30 })
    expect((await take(fixture))?.end(unavailable)).toMatchObject({ kind: 'throttled', mayBeItsOwn: true })
    expect(fixture.budget.heldMs('au')).toBe(30 * SECOND)
  })
})

describe('a site in trouble', () => {
  it.each([
    ['cannot be reached', OUT_OF_REACH, [5, 10, 20, 40, 60, 60], false],
    ['refuses its credentials', CREDENTIALS, [60, 120, 240, 480, 960, 1800, 1800], true],
  ])('is left alone longer each time that it %s, until it answers', async (_what, error, seconds, mayBeItsOwn) => {
    const fixture = await setUp()
    const { time, budget } = fixture
    for (const second of seconds) {
      expect((await take(fixture))?.end(error)?.mayBeItsOwn).toBe(mayBeItsOwn)
      expect(budget.heldMs('au')).toBe(second * SECOND)
      expect(await take(fixture)).toBeNull()
      await time.skip(second * SECOND)
    }
    ;(await take(fixture))?.end(null)
    ;(await take(fixture))?.end(error)
    expect(budget.heldMs('au')).toBe((seconds[0] ?? 0) * SECOND)
  })

  it('is open to a person, whose answer opens it to all', async () => {
    const fixture = await setUp()
    const { budget } = fixture
    ;(await take(fixture))?.end(OUT_OF_REACH)
    const permit = budget.acquire('au', 'person')
    await fixture.time.pass(SECOND)
    ;(await permit).end(fault({ kind: 'refused', httpStatus: 404, code: null, message: null, fields: [] }))
    expect(budget.heldMs('au')).toBe(0)
  })

  it('is told to the log once, until it is over', async () => {
    const fixture = await setUp()
    const { time, budget, lines } = fixture
    const fail = async () => {
      ;(await take(fixture))?.end(CREDENTIALS)
      await time.skip(budget.heldMs('au'))
    }
    await fail()
    await fail()
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 'error', site: 'au' }])
    ;(await take(fixture))?.end(null)
    await fail()
    expect(lines).toHaveLength(2)
  })

  it.each([
    [
      'an answer that cannot be read',
      fault({ kind: 'unknown', reason: 'not-json', httpStatus: 200, retryAfterSeconds: null }),
    ],
    ['a request that our own checks stopped', fault({ kind: 'not-sent', reason: 'invalid-request' })],
    ['a bug', new Error('A bug.')],
  ])('is not seen in %s', async (_what, error) => {
    const fixture = await setUp()
    const { budget } = fixture
    expect((await take(fixture))?.end(error)).toBeNull()
    expect(budget.heldMs('au')).toBe(0)
  })
})
