import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSliceScheduler } from '../../../src/streams/slice-scheduler.ts'

/** Creates a scheduler whose clock advances only with the work. */
function setUp() {
  const clock = { now: 0 }
  const scheduler = createSliceScheduler({ sliceMs: 5, now: () => clock.now })
  const done: number[] = []
  /** Creates a piece whose work takes several microtasks. */
  const piece = (id: number, milliseconds: number, then: () => void = () => {}) => ({
    async run() {
      await Promise.resolve()
      await Promise.resolve()
      clock.now += milliseconds
      done.push(id)
      then()
    },
  })
  /** Works like a stream with many items: requests the next item after the last one was sent. */
  const replay = (count: number, milliseconds: number) => {
    const next = (id: number): void => {
      if (id === count) return
      const one = piece(id, milliseconds, () => next(id + 1))
      if (scheduler.admits()) void one.run()
      else scheduler.push(one)
    }
    next(0)
  }
  /** Returns the number of pieces in each iteration of the event loop, until all are done. */
  const slices = async (count: number) => {
    const counts: number[] = []
    for (let last = 0; last < count; last = done.length) {
      await nextIteration()
      counts.push(done.length - last)
    }
    return counts
  }
  return { clock, scheduler, done, piece, replay, slices }
}

describe('work in slices', () => {
  it.each([
    ['a millisecond', 1, 5, 5],
    // A chunk takes about a millisecond, and a slice ends with the chunk that exceeds the time of the slice.
    ['a quarter of it', 0.25, 20, 23],
  ])(
    'releases the event loop after each slice, with pieces of %s, and keeps their order',
    async (_name, ms, least, most) => {
      const { done, piece, scheduler, slices } = setUp()
      for (let id = 0; id < 2_000; id += 1) scheduler.push(piece(id, ms))
      const counts = await slices(2_000)
      expect(Math.max(...counts)).toBeLessThanOrEqual(most)
      expect(counts.filter((count) => count >= least).length).toBeGreaterThan((2_000 / least) * 0.9)
      expect(done).toEqual(Array.from({ length: 2_000 }, (_, id) => id))
    },
  )

  it('looks at the clock again after so many pieces, however little they take', async () => {
    const { piece, scheduler, slices } = setUp()
    for (let id = 0; id < 20_000; id += 1) scheduler.push(piece(id, 0))
    const counts = await slices(20_000)
    expect(Math.max(...counts)).toBeLessThanOrEqual(64 * 64)
  })

  it('begins at once when nothing else waits, and not before what does', () => {
    const { scheduler, piece } = setUp()
    expect(scheduler.admits()).toBe(true)
    scheduler.push(piece(1, 1))
    expect(scheduler.admits()).toBe(false)
  })

  it('counts pieces that come one by one, and releases the event loop between them', async () => {
    const { replay, slices } = setUp()
    replay(200, 1)
    const counts = await slices(200)
    expect(Math.max(...counts)).toBeLessThanOrEqual(6)
  })

  it('goes on with one that has much to send and takes little time', async () => {
    const { replay, slices } = setUp()
    replay(1_000, 0.01)
    const counts = await slices(1_000)
    expect(counts.length).toBeLessThan(300)
  })

  it('goes on after a piece that takes longer than a slice, and after one that waits for something else', async () => {
    const { done, scheduler, piece, slices } = setUp()
    const never = { run: () => void new Promise(() => {}) }
    scheduler.push(never)
    for (const [id, ms] of [50, 1, 50, 1].entries()) scheduler.push(piece(id, ms))
    await slices(4)
    expect(done).toEqual([0, 1, 2, 3])
  })

  it('runs outside the request that woke it', async () => {
    const { scheduler } = setUp()
    const request = new AsyncLocalStorage<string>()
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    request.run('a webhook', () => scheduler.push({ run: () => resolve(request.getStore()) }))
    expect(await promise).toBeUndefined()
  })
})
