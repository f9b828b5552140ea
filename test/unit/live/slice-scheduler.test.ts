import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSliceScheduler } from '../../../src/live/slice-scheduler.ts'

/** A clock that only the work moves. */
function setUp() {
  const clock = { now: 0 }
  const scheduler = createSliceScheduler({ sliceMs: 5, now: () => clock.now })
  const done: number[] = []
  /** Work of a millisecond that goes on over several microtasks. */
  const work = async (id: number, milliseconds = 1) => {
    await scheduler.enter()
    await Promise.resolve().then(() => null)
    clock.now += milliseconds
    done.push(id)
  }
  return { clock, scheduler, done, work }
}

describe('work in slices', () => {
  it('releases the event loop after each slice, however many come at once, and keeps their order', async () => {
    const { done, work } = setUp()
    const all = Promise.all(Array.from({ length: 2_000 }, (_, id) => work(id)))
    let last = 0
    const slices: number[] = []
    while (done.length < 2_000) {
      await nextIteration()
      slices.push(done.length - last)
      last = done.length
    }
    await all
    expect(Math.max(...slices)).toBe(5)
    expect(slices.filter((count) => count === 5).length).toBeGreaterThanOrEqual(399)
    expect(done).toEqual(Array.from({ length: 2_000 }, (_, id) => id))
  })

  it('is begun at once when nothing else waits', async () => {
    const { scheduler } = setUp()
    let isBegun = false
    void scheduler.enter().then(() => (isBegun = true))
    await Promise.resolve()
    expect(isBegun).toBe(true)
  })

  it('counts pieces that come one by one in one iteration', async () => {
    const { done, work } = setUp()
    // Each asks when the last is done, as a stream does that has much to send.
    const chain = async () => {
      for (let id = 0; id < 30; id += 1) await work(id)
    }
    const all = chain()
    await nextIteration()
    expect(done.length).toBeLessThanOrEqual(5)
    await all
    expect(done).toHaveLength(30)
  })

  it('goes on after a piece that takes longer than a slice, and after one that waits for something else', async () => {
    const { done, work, scheduler } = setUp()
    const never = scheduler.enter().then(() => new Promise(() => {}))
    await Promise.all([work(1, 50), work(2), work(3, 50), work(4)])
    expect(done).toEqual([1, 2, 3, 4])
    expect(never).toBeInstanceOf(Promise)
  })
})
