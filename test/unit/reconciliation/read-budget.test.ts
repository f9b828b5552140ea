import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget, type ReadPermit } from '../../../src/reconciliation/read-budget.ts'
import { type FaultDetail, UpstreamFault } from '../../../src/upstream/client/upstream-fault.ts'
import { NOW } from '../../store/contract/builders.ts'
import { virtualTime } from '../../support/virtual-time.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

function setUp() {
  const time = virtualTime({ start: NOW })
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const budget = createReadBudget({ timer: time.timer, logger: createLogger({ level: 'info', destination }) })
  return { time, budget, lines }
}

const fault = (detail: FaultDetail) => new UpstreamFault(detail)
const throttled = (retryAfterSeconds: number | null = null) =>
  fault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds })
const OUT_OF_REACH = fault({ kind: 'not-sent', reason: 'refused' })
const CREDENTIALS = fault({ kind: 'credentials', httpStatus: 401, site: 'au' })

/** Takes permits for `milliseconds`, each of which ends with the result of `end`. Returns the times of the permits since the start. */
async function permitsWithin({ time, budget }: ReturnType<typeof setUp>, milliseconds: number, end: () => unknown) {
  const instants: number[] = []
  const begun = time.elapsed()
  let going = true
  const worker = async () => {
    while (going) {
      const permit = await budget.acquire('au', 'poll')
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
    const fixture = setUp()
    const instants = await permitsWithin(fixture, 60 * SECOND, () => null)
    expect(instants.length).toBeGreaterThanOrEqual(120)
    for (const [index, instant] of instants.entries())
      expect(instant - (instants[index - 2] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(SECOND)
  })

  it('is not touched by another site', async () => {
    const { budget } = setUp()
    for (const site of ['au', 'jp']) {
      const permits = await Promise.all([budget.acquire(site, 'poll'), budget.acquire(site, 'poll')])
      expect(permits).not.toContain(null)
    }
  })

  it('lets persons go first', async () => {
    const { time, budget } = setUp()
    const order: string[] = []
    const take = async (name: string, permit: Promise<ReadPermit | null>) => {
      const granted = await permit
      order.push(name)
      granted?.end(null)
    }
    const all = [
      take('plan 1', budget.acquire('au', 'poll')),
      take('plan 2', budget.acquire('au', 'poll')),
      take('plan 3', budget.acquire('au', 'poll')),
      take('person 1', budget.acquire('au', 'person')),
      take('person 2', budget.acquire('au', 'person')),
    ]
    await time.pass(10 * SECOND)
    await Promise.all(all)
    expect(order).toEqual(['plan 1', 'plan 2', 'person 1', 'person 2', 'plan 3'])
  })

  it('lets a person through although planned reads wait for a slow service', async () => {
    const { time, budget } = setUp()
    await Promise.all([budget.acquire('au', 'poll'), budget.acquire('au', 'poll')])
    let planned = false
    void budget.acquire('au', 'poll').then(() => (planned = true))
    await time.pass(MINUTE)
    expect(planned).toBe(false)
    await budget.acquire('au', 'person')
  })

  it('tells a person at once when too many wait already', async () => {
    const { budget } = setUp()
    const waiting = Array.from({ length: 12 }, () => budget.acquire('au', 'person'))
    await expect(budget.acquire('au', 'person')).rejects.toMatchObject({
      detail: { kind: 'not-sent', reason: 'no-slot' },
    })
    budget.close()
    const settled = await Promise.allSettled(waiting)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  it('gives back a permit that was not used', async () => {
    const { budget, time } = setUp()
    for (let n = 0; n < 10; n++) (await budget.acquire('au', 'poll'))?.cancel()
    expect(time.elapsed()).toBe(0)
  })
})

describe('a service that wants fewer reads', () => {
  it('gets half as many after each refusal, down to an eighth a second', async () => {
    const fixture = setUp()
    const instants = await permitsWithin(fixture, 2 * MINUTE, () => throttled())
    const gaps = instants.slice(2).map((instant, index) => instant - (instants[index] ?? 0))
    expect(gaps.slice(0, 6)).toEqual(gaps.slice(0, 6).toSorted((a, b) => a - b))
    expect(gaps.at(-1)).toBe(16 * SECOND)
  })

  it('gets more again, slowly, as it answers', async () => {
    const fixture = setUp()
    await permitsWithin(fixture, 2 * MINUTE, () => throttled())
    const counts: number[] = []
    for (let minute = 0; minute < 4; minute++) counts.push((await permitsWithin(fixture, MINUTE, () => null)).length)
    expect(counts[0]).toBeLessThan(60)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBeGreaterThanOrEqual(119)
  })

  it('is taken to say so once when it says so to two reads that were under way together', async () => {
    const { time, budget } = setUp()
    const permits = await Promise.all([budget.acquire('au', 'poll'), budget.acquire('au', 'poll')])
    for (const permit of permits) permit?.end(throttled())
    let granted = false
    void budget.acquire('au', 'poll').then(() => (granted = true))
    await time.pass(2 * SECOND - 1)
    expect(granted).toBe(false)
    await time.pass(1)
    expect(granted).toBe(true)
  })

  it('is left alone for as long as it asks, but for persons at the lower rate, until it answers one of them', async () => {
    const { time, budget, lines } = setUp()
    const permit = await budget.acquire('au', 'poll')
    expect(permit?.end(throttled(90))).toMatchObject({ kind: 'throttled', mayBeItsOwn: false })
    await time.pass(89 * SECOND)
    expect(await budget.acquire('au', 'poll')).toBeNull()
    expect(budget.heldMs('au')).toBe(SECOND)
    const asked: number[] = []
    const ask = async () => {
      const own = await budget.acquire('au', 'person')
      asked.push(time.elapsed())
      own.end(asked.length < 3 ? throttled(90) : null)
    }
    for (let n = 0; n < 3; n++) void ask()
    await time.pass(0)
    expect(asked).toHaveLength(2)
    expect(budget.closedMs('au')).toBe(90 * SECOND)
    expect(await budget.acquire('jp', 'poll')).not.toBeNull()
    await time.pass(4 * SECOND)
    expect(asked).toHaveLength(3)
    expect(budget.heldMs('au')).toBe(0)
    expect(lines).toHaveLength(1)
  })

  it('is left alone when it is unavailable, and says for how long', async () => {
    const { budget } = setUp()
    const permit = await budget.acquire('au', 'poll')
    const unavailable = fault({ kind: 'unknown', reason: 'server-error', httpStatus: 503, retryAfterSeconds: 30 })
    expect(permit?.end(unavailable)).toMatchObject({ kind: 'throttled', mayBeItsOwn: true })
    expect(budget.heldMs('au')).toBe(30 * SECOND)
  })
})

describe('a site in trouble', () => {
  it.each([
    ['cannot be reached', OUT_OF_REACH, [5, 10, 20, 40, 60, 60], false],
    ['refuses its credentials', CREDENTIALS, [60, 120, 240, 480, 960, 1800, 1800], true],
  ])('is left alone longer each time that it %s, until it answers', async (_what, error, seconds, mayBeItsOwn) => {
    const { time, budget } = setUp()
    for (const second of seconds) {
      const permit = await budget.acquire('au', 'poll')
      expect(permit?.end(error)?.mayBeItsOwn).toBe(mayBeItsOwn)
      expect(budget.heldMs('au')).toBe(second * SECOND)
      expect(await budget.acquire('au', 'poll')).toBeNull()
      await time.skip(second * SECOND)
    }
    ;(await budget.acquire('au', 'poll'))?.end(null)
    ;(await budget.acquire('au', 'poll'))?.end(error)
    expect(budget.heldMs('au')).toBe((seconds[0] ?? 0) * SECOND)
  })

  it('is open to a person, whose answer opens it to all', async () => {
    const { budget } = setUp()
    ;(await budget.acquire('au', 'poll'))?.end(OUT_OF_REACH)
    const permit = await budget.acquire('au', 'person')
    permit.end(fault({ kind: 'refused', httpStatus: 404, code: null, message: null, fields: [] }))
    expect(budget.heldMs('au')).toBe(0)
  })

  it('is told to the log once, until it is over', async () => {
    const { time, budget, lines } = setUp()
    const fail = async () => {
      ;(await budget.acquire('au', 'poll'))?.end(CREDENTIALS)
      await time.skip(budget.heldMs('au'))
    }
    await fail()
    await fail()
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 'error', site: 'au' }])
    ;(await budget.acquire('au', 'poll'))?.end(null)
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
    const { budget } = setUp()
    const permit = await budget.acquire('au', 'poll')
    expect(permit?.end(error)).toBeNull()
    expect(budget.heldMs('au')).toBe(0)
  })
})
