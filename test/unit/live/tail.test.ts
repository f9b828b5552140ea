import { describe, expect, it } from 'vitest'
import { StoreFailure } from '../../../src/store/errors.ts'
import type { EventLog } from '../../../src/store/store.ts'
import { events } from '../../contract/store/builders.ts'
import { append, openStore, tailOf } from './log.ts'

describe('the tail of the log', () => {
  it('begins at the end of the log, and rings for whoever is concerned', async () => {
    const store = await openStore()
    await append(store)
    const tail = await tailOf(store)
    expect([tail.end, tail.after(1, null), tail.after(0, null)]).toEqual([1, [], null])
    const [all, own, other] = [tail.listen(null), tail.listen('payment:P1'), tail.listen('payment:P2')]
    await append(store, 'P1')
    await Promise.all([all.wait(), own.wait()])
    expect(tail.after(1, null)).toEqual((await events(store)).slice(1))
    expect(tail.after(1, 'payment:P1')).toHaveLength(1)
    expect(tail.after(1, 'payment:P2')).toEqual([])
    await append(store, 'P2')
    await other.wait()
    expect(tail.after(1, 'payment:P2')).toHaveLength(1)
  })

  it('forgets a follower that is closed, and all of them when it is closed itself', async () => {
    const tail = await tailOf(await openStore())
    const [first, second, third] = [tail.listen('payment:P0'), tail.listen('payment:P0'), tail.listen(null)]
    expect(tail.listeners).toBe(3)
    first.close()
    first.close()
    expect(tail.listeners).toBe(2)
    tail.listen('payment:P0').close()
    expect(tail.listeners).toBe(2)
    tail.close()
    await Promise.all([second.wait(), third.wait()])
    expect([second.closed, third.closed, tail.listeners]).toEqual([true, true, 0])
  })

  it('finds what it was not woken for when it polls', async () => {
    const store = await openStore()
    const log: EventLog = { ...store.log, onAppend: () => () => {} }
    const tail = await tailOf(store, { log, pollMs: 5 })
    const wake = tail.listen(null)
    for (let count = 1; count <= 3; count++) {
      await append(store)
      await wake.wait()
      expect(tail.end).toBe(count)
    }
  })

  it('goes on after the log could not be read', async () => {
    const store = await openStore()
    let failures = 2
    const log: EventLog = {
      ...store.log,
      read: (...query) => (failures-- > 0 ? Promise.reject(new StoreFailure('IO', null)) : store.log.read(...query)),
    }
    const tail = await tailOf(store, { log, pollMs: 5 })
    const wake = tail.listen(null)
    await append(store)
    await wake.wait()
    expect(tail.end).toBe(1)
  })

  it('takes what a commit has appended as it is, and reads the log where something lies in between', async () => {
    const store = await openStore()
    let reads = 0
    let hides = false
    const tail = await tailOf(store, {
      log: {
        ...store.log,
        onAppend: (listener) => store.log.onAppend((appended) => (hides ? undefined : listener(appended))),
        read(...query) {
          reads += 1
          return store.log.read(...query)
        },
      },
    })
    const wake = tail.listen(null)
    await append(store)
    await wake.wait()
    expect([tail.end, reads]).toEqual([1, 0])
    expect(tail.after(0, null)).toEqual(await store.log.read(0, 9))
    // As an event that another node has appended.
    hides = true
    await append(store, 'P2')
    hides = false
    await append(store, 'P3')
    while (tail.end < 3) await wake.wait()
    expect(reads).toBeGreaterThan(0)
    expect(tail.after(0, null)).toEqual(await store.log.read(0, 9))
  })

  it('reads more than a page in one go', async () => {
    const store = await openStore()
    const tail = await tailOf(store, { log: { ...store.log, onAppend: () => () => {} }, pollMs: 20, capacity: 5_000 })
    for (let page = 0; page < 5; page++)
      await Promise.all(Array.from({ length: 241 }, (_, index) => append(store, `P${index % 3}`)))
    const wake = tail.listen(null)
    while (tail.end < 1_205) await wake.wait()
    expect(tail.after(0, null)?.map(({ position }) => position)).toEqual(
      Array.from({ length: 1_205 }, (_, at) => at + 1),
    )
  })

  it.each(Array.from({ length: 24 }, (_, delay) => delay))(
    'loses no wake-up that comes %d microtasks after a look has found nothing',
    async (delay) => {
      const store = await openStore()
      let wakeUp = () => {}
      let lateEvents = 1
      const log: EventLog = {
        ...store.log,
        onAppend(listener) {
          wakeUp = () => listener([])
          return () => {}
        },
        async read(...query) {
          const found = await store.log.read(...query)
          if (found.length === 0 && lateEvents-- > 0) {
            await append(store)
            void ring(delay)
          }
          return found
        },
      }
      const ring = async (microtasks: number) => {
        for (let count = 0; count < microtasks; count++) await Promise.resolve()
        wakeUp()
      }
      const tail = await tailOf(store, { log })
      const wake = tail.listen(null)
      wakeUp()
      await wake.wait()
      expect(tail.end).toBe(1)
    },
  )
})
