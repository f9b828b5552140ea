import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadlines, type Deadline } from '../../../src/streams/stream-registry.ts'

const DAY = 86_400_000

function deadline(endsAt: number, onEnd: () => void): Deadline {
  return { endsAt, onEnd }
}

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_900_000_000_000 })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([1, 1_000, 2 ** 31 - 1, 2 ** 31, 50 * DAY, 365 * DAY])('ends after %d ms, once, and not before', (wait) => {
    const action = vi.fn<() => void>()
    createDeadlines().add(deadline(Date.now() + wait, action))
    vi.advanceTimersByTime(wait - 1)
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2)
    expect(action).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(365 * DAY)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it.each([0, -1, -DAY])('ends in the next turn for an instant that is %d ms away', (wait) => {
    const action = vi.fn<() => void>()
    createDeadlines().add(deadline(Date.now() + wait, action))
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it.each([1_000, 50 * DAY])('does not end once it is removed, %d ms before', (wait) => {
    const action = vi.fn<() => void>()
    const deadlines = createDeadlines()
    const removed = deadline(Date.now() + wait, action)
    deadlines.add(removed)
    vi.advanceTimersByTime(wait - 1)
    deadlines.remove(removed)
    deadlines.remove(removed)
    vi.advanceTimersByTime(DAY)
    expect(action).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('goes by the clock that it is given', () => {
    let now = 0
    const action = vi.fn<() => void>()
    createDeadlines(() => now).add(deadline(10, action))
    vi.advanceTimersByTime(10)
    expect(action).not.toHaveBeenCalled()
    now = 10
    vi.advanceTimersByTime(11)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it('does not keep the process alive', () => {
    vi.useRealTimers()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const far = deadline(Date.now() + DAY, () => {})
    const deadlines = createDeadlines()
    deadlines.add(far)
    expect(timers()).toBe(before)
    deadlines.remove(far)
  })

  it('is one of many: all end in their time with one timer for an instant, but for those that were removed', () => {
    const change = fc.record({ wait: fc.integer({ min: -50, max: 2_000 }), removedAfter: fc.option(fc.nat(2_000)) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), fc.array(fc.nat(90), { maxLength: 60 }), (changes, steps) => {
        vi.clearAllTimers()
        const start = Date.now()
        const deadlines = createDeadlines()
        const ended = new Map<number, number>()
        const all = changes.map(({ wait }, index) =>
          deadline(start + wait, () => {
            expect(ended.has(index)).toBe(false)
            ended.set(index, Date.now() - start)
          }),
        )
        const removed = new Set<number>()
        for (const one of all) deadlines.add(one)
        expect(vi.getTimerCount()).toBe(new Set(changes.map(({ wait }) => wait)).size)
        for (const step of [...steps, 3_000]) {
          vi.advanceTimersByTime(step)
          for (const [index, { removedAfter }] of changes.entries())
            if (removedAfter !== null && !ended.has(index) && Date.now() - start >= removedAfter) {
              removed.add(index)
              deadlines.remove(all[index] ?? deadline(0, () => {}))
            }
        }
        for (const [index, { wait }] of changes.entries()) {
          const at = ended.get(index)
          expect(at === undefined).toBe(removed.has(index))
          expect(at ?? wait).toBeGreaterThanOrEqual(wait)
          // Deadlines that end together take one turn for each 64 of them.
          expect(at ?? wait).toBeLessThanOrEqual(Math.max(wait, 0) + 6)
        }
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})
