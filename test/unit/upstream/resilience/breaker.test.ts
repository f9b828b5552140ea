import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Breaker,
  type BreakerSettings,
  createBreaker,
  type CallResult,
} from '../../../../src/upstream/resilience/breaker.ts'

const SETTINGS = { windowMs: 10_000, share: 0.5, least: 4, openMs: 1_000 }

/** Creates a breaker whose clock the test advances, and records its states. */
function stage(settings: Partial<BreakerSettings> = {}) {
  const fixture = { now: 0, told: [] as string[] }
  const breaker = createBreaker({ ...SETTINGS, clock: () => fixture.now, ...settings }, (state) =>
    fixture.told.push(state),
  )
  return { fixture, breaker, ask: (...verdicts: CallResult[]) => verdicts.map((verdict) => ask(breaker, verdict)) }
}

/** Runs one request that ends at once. Returns whether the breaker let it through. */
function ask(breaker: Breaker, verdict: CallResult): boolean {
  const ended = breaker.enter()
  ended?.(verdict)
  return ended !== null
}

describe('a closed breaker', () => {
  it('opens at its share of trouble, and not below it', () => {
    const { fixture, breaker, ask: run } = stage()
    run('sound', 'sound', 'sound', 'trouble', 'trouble')
    expect(fixture.told).toEqual([])
    expect(breaker.closedOffMs()).toBe(0)
    run('trouble')
    expect(fixture.told).toEqual(['open'])
    expect(breaker.closedOffMs()).toBe(1_000)
  })

  it('believes no share of too few', () => {
    const { fixture, ask: run } = stage()
    run('trouble', 'trouble', 'trouble')
    expect(fixture.told).toEqual([])
    run('sound')
    expect(fixture.told).toEqual(['open'])
  })

  it('does not take those who wait for an answer for less than those who have an error', () => {
    const { fixture, breaker, ask: run } = stage()
    const waiting = Array.from({ length: 6 }, () => breaker.enter())
    run('trouble', 'trouble', 'trouble', 'trouble', 'trouble')
    expect(fixture.told).toEqual([])
    waiting[0]?.('trouble')
    expect(fixture.told).toEqual(['open'])
  })

  it('is not moved by requests that never left', () => {
    const { fixture, ask: run } = stage()
    run('trouble', 'trouble', 'trouble', ...Array<CallResult>(50).fill('silent'))
    expect(fixture.told).toEqual([])
  })

  it('forgets what is older than its window', () => {
    const { fixture, ask: run } = stage()
    run('trouble', 'trouble', 'trouble')
    fixture.now = 10_000
    run('trouble', 'trouble', 'trouble')
    expect(fixture.told).toEqual([])
    fixture.now = 10_999
    run('trouble')
    expect(fixture.told).toEqual(['open'])
  })
})

describe('an open breaker', () => {
  it('turns everyone away, then lets one through, and closes when that one is answered', () => {
    const { fixture, breaker, ask: run } = stage()
    run('trouble', 'trouble', 'trouble', 'trouble')
    fixture.now = 999
    expect(run('sound')).toEqual([false])
    expect(breaker.closedOffMs()).toBe(1)
    fixture.now = 1_000
    expect(breaker.closedOffMs()).toBe(0)
    const probe = breaker.enter()
    expect(run('sound', 'sound')).toEqual([false, false])
    expect(breaker.closedOffMs()).toBeGreaterThan(0)
    probe?.('sound')
    expect(fixture.told).toEqual(['open', 'half-open', 'closed'])
    expect(run('trouble', 'trouble', 'trouble')).toEqual([true, true, true])
    expect(fixture.told).toHaveLength(3)
  })

  it('stays open for as long again when the probe meets trouble', () => {
    const { fixture, breaker, ask: run } = stage()
    run('trouble', 'trouble', 'trouble', 'trouble')
    fixture.now = 1_500
    run('trouble')
    expect(fixture.told).toEqual(['open', 'half-open', 'open'])
    expect(breaker.closedOffMs()).toBe(1_000)
  })

  it('lets another probe through when the first one never left', () => {
    const { fixture, ask: run } = stage()
    run('trouble', 'trouble', 'trouble', 'trouble')
    fixture.now = 1_000
    expect(run('silent', 'sound', 'sound')).toEqual([true, true, true])
    expect(fixture.told.at(-1)).toBe('closed')
  })

  it('is not moved by what was under way when it opened', () => {
    const { fixture, breaker, ask: run } = stage()
    const [early, late] = [breaker.enter(), breaker.enter()]
    run('trouble', 'trouble', 'trouble', 'trouble')
    early?.('sound')
    expect(fixture.told).toEqual(['open'])
    fixture.now = 1_000
    run('sound')
    late?.('trouble')
    run('trouble', 'trouble', 'trouble')
    expect(fixture.told).toEqual(['open', 'half-open', 'closed'])
  })
})

type Step =
  | { readonly kind: 'enter' }
  | { readonly kind: 'end'; readonly at: number; readonly verdict: CallResult }
  | { readonly kind: 'pass'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('enter' as const) }),
  fc.record({
    kind: fc.constant('end' as const),
    at: fc.nat(50),
    verdict: fc.constantFrom<CallResult>('sound', 'trouble', 'silent'),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }),
)

/** Runs a history. Returns the invariants that it violates. */
function faultsOf(history: readonly Step[]): string[] {
  const { fixture, breaker } = stage()
  const faults: string[] = []
  const underWay: { ended: (verdict: CallResult) => void; probe: boolean }[] = []
  let trouble = 0

  const enter = () => {
    const closed = (fixture.told.at(-1) ?? 'closed') === 'closed'
    const ended = breaker.enter()
    if (ended !== null) underWay.push({ ended, probe: !closed })
    if (closed && ended === null) faults.push('turned away by a closed breaker')
    if (underWay.filter(({ probe }) => probe).length > 1) faults.push('two probes')
  }
  const end = (at: number, verdict: CallResult) => {
    const [one] = underWay.splice(at, 1)
    one?.ended(verdict)
    if (one !== undefined && verdict === 'trouble') trouble += 1
  }
  for (const one of history) {
    if (one.kind === 'pass') fixture.now += one.ms
    else if (one.kind === 'enter') enter()
    else end(one.at, one.verdict)
  }
  if (trouble < SETTINGS.least * SETTINGS.share && fixture.told.length > 0) faults.push('opened without trouble')
  for (const { ended } of underWay) ended('silent')
  fixture.now += SETTINGS.openMs
  if (!ask(breaker, 'sound') || breaker.closedOffMs() > 0) faults.push('open for good')
  return faults
}

it('whatever happens, never has two probes out, never stays open for good, and opens for trouble alone', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (history) => {
      expect(faultsOf(history)).toEqual([])
    }),
  )
})
