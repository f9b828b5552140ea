import { describe, expect, it } from 'vitest'
import type { PaymentEvent } from '../../../src/domain/events/payment-event.ts'
import type { EventLog } from '../../../src/store/port.ts'
import { StoreFailure } from '../../../src/store/store-errors.ts'
import type { Tail } from '../../../src/streams/tail.ts'
import type { WakeListener } from '../../../src/streams/wake-ups.ts'
import { events } from '../contract/builders.ts'
import { append, nextEvent, openStore, tailOf, turns } from './log.ts'

/** Returns all events that the tail keeps after a position. */
function eventsAfter(tail: Tail, start: number, streamId: string | null = null): PaymentEvent[] {
  const found: PaymentEvent[] = []
  let event = tail.next(start, streamId)
  for (; event !== null; event = tail.next(event.position, streamId)) found.push(event)
  return found
}

describe('the tail of the log', () => {
  it('begins at the end of the log, and wakes whoever is concerned', async () => {
    const store = await openStore()
    await append(store)
    const tail = await tailOf(store)
    expect([tail.start, tail.end, tail.next(1, null)]).toEqual([1, 1, null])
    const [all, own, other] = [nextEvent(tail, null), nextEvent(tail, 'payment:P1'), nextEvent(tail, 'payment:P2')]
    await append(store, 'P1')
    await Promise.all([all, own])
    expect(eventsAfter(tail, 1)).toEqual((await events(store)).slice(1))
    expect(eventsAfter(tail, 1, 'payment:P1')).toHaveLength(1)
    expect(eventsAfter(tail, 1, 'payment:P2')).toEqual([])
    await append(store, 'P2')
    await other
    expect(eventsAfter(tail, 1, 'payment:P2')).toHaveLength(1)
  })

  it('tells whoever waits up to where nothing was missed', async () => {
    const store = await openStore()
    const tail = await tailOf(store)
    const upTo: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const isUpTo = (at: number) => upTo.push(at)
    const waiting = { streamId: 'payment:P1', waitIndex: -1, isUpTo, run: resolve, stop: () => {} }
    tail.wait(waiting)
    for (const paymentId of ['P0', 'P0', 'P1']) await append(store, paymentId)
    await promise
    expect(upTo).toEqual([2])
  })

  it('wakes nobody who takes the wait back, and stops whoever waits when it is closed', async () => {
    const store = await openStore()
    const tail = await tailOf(store)
    const told: string[] = []
    const waiting = (name: string, streamId: string | null) => ({
      streamId,
      waitIndex: -1,
      isUpTo: () => {},
      run: () => told.push(`${name} runs`),
      stop: () => told.push(`${name} stops`),
    })
    const [first, second, third] = [waiting('1', 'payment:P0'), waiting('2', 'payment:P0'), waiting('3', null)]
    for (const one of [first, second, third]) tail.wait(one)
    tail.cancel(first)
    tail.cancel(first)
    const woken = nextEvent(tail, null)
    await append(store)
    await woken
    expect(told).toEqual(['2 runs', '3 runs'])
    tail.cancel(second)
    tail.wait(third)
    tail.close()
    expect([told.at(-1), tail.closed]).toEqual(['3 stops', true])
  })

  it('wakes each of those that wait for one stream once, whichever of them take it back, or wait twice', async () => {
    const store = await openStore()
    const tail = await tailOf(store)
    const told: number[] = []
    const waiting = Array.from({ length: 9 }, (_, index) => ({
      streamId: 'payment:P0',
      waitIndex: -1,
      isUpTo: () => {},
      run: () => told.push(index),
      stop: () => {},
    }))
    const gone = waiting.filter((_, index) => [0, 3, 7, 8].includes(index))
    for (const one of [...waiting, ...waiting]) tail.wait(one)
    for (const one of [...gone, ...gone]) tail.cancel(one)
    for (const one of gone.slice(1, 2)) tail.wait(one)
    const woken = nextEvent(tail, null)
    await append(store)
    await woken
    expect(new Set(told)).toEqual(new Set([1, 2, 3, 4, 5, 6]))
    for (const one of waiting) tail.cancel(one)
    await append(store)
    await turns(5)
    expect(told).toHaveLength(6)
  })

  /** Opens a tail that hears nothing of its store's commits, as if they were another node's. */
  async function tailOfAnotherNode() {
    const store = await openStore()
    let wake: WakeListener = () => {}
    const told: string[] = []
    let reads = 0
    const tail = await tailOf(store, {
      log: {
        ...store.log,
        onAppend: () => () => {},
        read(...query) {
          reads += 1
          return store.log.read(...query)
        },
      },
      wakeUps: {
        onWake: (listener) => void (wake = listener),
        follow: (streamId) => told.push(`follow ${streamId}`),
        unfollow: (streamId) => told.push(`unfollow ${streamId}`),
      },
    })
    return { store, tail, told, wake: (position: number | null) => wake(position), reads: () => reads }
  }

  it('reads the log when it is woken, and not for what it has read', async () => {
    const { store, tail, wake, reads } = await tailOfAnotherNode()
    await append(store)
    const woken = nextEvent(tail, null)
    wake(1)
    await woken
    await turns(5)
    const readsOfOne = reads()
    for (const position of [0, 1]) wake(position)
    await turns(5)
    expect([tail.end, reads()]).toEqual([1, readsOfOne])
    await append(store)
    const wokenAgain = nextEvent(tail, null)
    wake(null)
    await wokenAgain
    expect(tail.end).toBe(2)
  })

  it('follows each stream from its first follower to its last', async () => {
    const { tail, told } = await tailOfAnotherNode()
    tail.open('payment:P0')
    tail.open(null)
    tail.open('payment:P0')
    tail.leave('payment:P0')
    expect(told).toEqual(['follow payment:P0', 'follow null'])
    tail.leave('payment:P0')
    tail.leave(null)
    tail.open('payment:P0')
    expect(told.slice(2)).toEqual(['unfollow payment:P0', 'unfollow null', 'follow payment:P0'])
  })

  it('finds what it was not woken for when it polls', async () => {
    const store = await openStore()
    const log: EventLog = { ...store.log, onAppend: () => () => {} }
    const tail = await tailOf(store, { log, pollMs: 5 })
    for (let count = 1; count <= 3; count++) {
      const woken = nextEvent(tail, null)
      await append(store)
      await woken
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
    const woken = nextEvent(tail, null)
    await append(store)
    await woken
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
    const woken = nextEvent(tail, null)
    await append(store)
    await woken
    expect([tail.end, reads]).toEqual([1, 0])
    expect(eventsAfter(tail, 0)).toEqual((await store.log.read(0, 9)).events)
    // The tail is not notified, as for an event of another node.
    hides = true
    await append(store, 'P2')
    hides = false
    await append(store, 'P3')
    while (tail.end < 3) await nextEvent(tail, null)
    expect(reads).toBeGreaterThan(0)
    expect(eventsAfter(tail, 0)).toEqual((await store.log.read(0, 9)).events)
  })

  it('reads more than a page in one go', async () => {
    const store = await openStore()
    const tail = await tailOf(store, { log: { ...store.log, onAppend: () => () => {} }, pollMs: 20, capacity: 5_000 })
    for (let page = 0; page < 5; page++)
      await Promise.all(Array.from({ length: 241 }, (_, index) => append(store, `P${index % 3}`)))
    while (tail.end < 1_205) await nextEvent(tail, null)
    expect(eventsAfter(tail, 0).map(({ position }) => position)).toEqual(
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
          if (found.events.length === 0 && lateEvents-- > 0) {
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
      const woken = nextEvent(tail, null)
      wakeUp()
      await woken
      expect(tail.end).toBe(1)
    },
  )
})
