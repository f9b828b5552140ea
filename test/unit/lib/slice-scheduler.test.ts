import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSliceScheduler } from '../../../src/lib/slice-scheduler.ts'

/** Creates a scheduler whose clock advances only with the work. */
function setUp() {
  const clock = { now: 0 }
  const scheduler = createSliceScheduler(() => clock.now)
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

// promise(sockets): An event for thousands of streams is sent in time slices, between which webhooks are answered.
describe('work in slices', () => {
  it.each([
    ['a millisecond', 1, 5],
    ['more than a slice', 6, 1],
    ['nothing', 0, 64],
  ])('releases the event loop after each slice, with pieces of %s, and keeps their order', async (_name, ms, most) => {
    const { done, piece, scheduler, slices } = setUp()
    for (let id = 0; id < 640; id += 1) scheduler.push(piece(id, ms))
    const counts = await slices(640)
    expect(Math.max(...counts)).toBe(most)
    expect(counts.filter((count) => count === most).length).toBeGreaterThan((640 / most) * 0.8)
    expect(done).toEqual(Array.from({ length: 640 }, (_, id) => id))
  })

  it('begins at once when nothing else waits and the slice has time left', async () => {
    const { clock, scheduler, piece } = setUp()
    expect([scheduler.admits(), scheduler.admits()]).toEqual([true, true])
    clock.now += 6
    expect(scheduler.admits()).toBe(false)
    await nextIteration()
    expect(scheduler.admits()).toBe(true)
    scheduler.push(piece(1, 1))
    expect(scheduler.admits()).toBe(false)
  })

  it.each([
    ['a millisecond', 200, 1, 6],
    ['little time', 1_000, 0.01, 501],
  ])('counts pieces of %s that come one by one', async (_name, count, ms, most) => {
    const { replay, slices } = setUp()
    replay(count, ms)
    const counts = await slices(count)
    expect(Math.max(...counts)).toBeLessThanOrEqual(most)
    expect(counts.length).toBeLessThan(count / 2)
  })

  it('goes on after a piece that waits for something else', async () => {
    const { done, scheduler, piece, slices } = setUp()
    scheduler.push({ run: () => void new Promise(() => {}) })
    for (const [id, ms] of [50, 1, 50, 1].entries()) scheduler.push(piece(id, ms))
    await slices(4)
    expect(done).toEqual([0, 1, 2, 3])
  })

  it('lets other work pass first, yet not for ever', async () => {
    const { scheduler, piece, done } = setUp()
    for (let id = 0; id < 6; id += 1) scheduler.push(piece(id, 1))
    const begun: number[] = []
    for (let iteration = 0; done.length < 3 && iteration < 100; iteration += 1) {
      scheduler.giveWay()
      const before = done.length
      await nextIteration()
      if (done.length > before) begun.push(iteration)
    }
    expect(begun).toEqual([8, 17, 26])
  })

  it('begins nothing at once in an iteration in which it gives way', async () => {
    const { scheduler } = setUp()
    scheduler.giveWay()
    expect(scheduler.admits()).toBe(false)
    await nextIteration()
    expect(scheduler.admits()).toBe(true)
  })

  it('runs outside the request that woke it', async () => {
    const { scheduler } = setUp()
    const request = new AsyncLocalStorage<string>()
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    request.run('a webhook', () => scheduler.push({ run: () => resolve(request.getStore()) }))
    expect(await promise).toBeUndefined()
  })
})
