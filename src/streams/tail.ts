import type { PaymentEvent } from '../domain/events/payment-event.ts'
import type { Piece, SliceScheduler } from '../lib/slice-scheduler.ts'
import type { Logger } from '../observability/logger.ts'
import type { EventLog } from '../store/port.ts'
import { StoreFailure } from '../store/store-errors.ts'
import { createNewestStates, type NewestStates } from './newest-states.ts'
import { NO_WAKE_UPS, type WakeUps } from './wake-ups.ts'

/** A follower that waits for the next event of one stream, or of the whole log. `run` is called when there is one. */
export type Waiting = Piece & {
  /** The stream to wait for; null for the whole log. */
  readonly streamId: string | null
  /** Its place among those that wait; -1 while it does not wait. Only the tail changes it. */
  waitIndex: number
  /** Called before `run`, with the position up to which the follower has missed no event. */
  isUpTo(position: number): void
  /** Called when the tail closes. Does not throw. */
  stop(): void
}

/**
 * The newest events of the log, read once per process for all of its streams. Events that this process appends are added
 * directly if they continue what is in memory. The log is read when a wake-up tells that another node has appended to it, and
 * otherwise by a slow poll, which finds what none announced.
 */
export type Tail = {
  /** Adds a follower of one stream, or of the whole log (null). */
  open(streamId: string | null): void
  /** Removes it. */
  leave(streamId: string | null): void
  /** Schedules `waiting.run` once, after the next event of its stream; does nothing if it waits already. */
  wait(waiting: Waiting): void
  /** Cancels a wait; does nothing if it is over. */
  cancel(waiting: Waiting): void
  /** Returns the first event after a position that `matches`; null if there is none in memory (see `start`). */
  next(position: number, streamId: string | null, matches?: EventPredicate): PaymentEvent | null
  /** Returns the event before an event of a payment, of the same payment; null if there is none in memory. */
  previousOfPayment(event: PaymentEvent): PaymentEvent | null
  /** All events after this position, up to `end`, are in memory. */
  readonly start: number
  /** Position up to which the tail has read the log. */
  readonly end: number
  /** The states after the newest events, and of rows that were read. */
  readonly states: NewestStates
  /** Number of open followers. */
  readonly listeners: number
  readonly closed: boolean
  close(): void
}

export type TailOptions = {
  readonly log: EventLog
  readonly logger: Logger
  readonly scheduler: Pick<SliceScheduler, 'push'>
  /** Default: none, for a log that only this process appends to. */
  readonly wakeUps?: Pick<WakeUps, 'onWake' | 'follow' | 'unfollow'>
  /** Milliseconds between two polls of the log. */
  readonly pollMs?: number
  /** How many events are kept in memory. */
  readonly capacity?: number
}

const POLL_MS = 5_000
const CAPACITY = 10_000
const PAGE = 1_000

export async function startTail(options: TailOptions): Promise<Tail> {
  const { log, logger, scheduler, wakeUps = NO_WAKE_UPS, pollMs = POLL_MS, capacity = CAPACITY } = options
  let recent = createRecentEvents(await log.head(), capacity)
  const states = createNewestStates()
  // Lists instead of sets: a set reads each of its members, which lie apart in memory, when it grows.
  const waitingFor = new Map<string | null, Waiting[]>()
  const followed = createFollowedStreams(wakeUps)
  let pulling = false
  let wokenMeanwhile = false
  /** The last position that was announced while the log was being read: it will have been read up to there. */
  let announced = 0
  let closed = false

  const wake = (streamId: string | null, before: number) => {
    const woken = waitingFor.get(streamId)
    if (woken === undefined) return
    waitingFor.delete(streamId)
    for (const waiting of woken) {
      waiting.waitIndex = -1
      waiting.isUpTo(before)
      scheduler.push(waiting)
    }
  }
  const append = (events: readonly PaymentEvent[]) => {
    const before = recent.end
    recent.append(events)
    states.append(events)
    for (const { streamId } of events) wake(streamId, before)
    if (events.length > 0) wake(null, before)
  }

  const readNew = async () => {
    do {
      wokenMeanwhile = false
      for (;;) {
        const before = recent
        const { events, next } = await log.read(before.end, PAGE)
        // The log has branched since: what was read may not be in it.
        if (before !== recent && !closed) continue
        if (closed || events.length === 0) break
        append(events)
        if (next === null) break
      }
      // Reset here and not by the awaiting caller: a notification in between would see a running read, and be lost.
      pulling = wokenMeanwhile && !closed
    } while (pulling)
    announced = 0
  }

  const look = async () => {
    wokenMeanwhile = true
    if (pulling) return
    pulling = true
    try {
      await readNew()
    } catch (error) {
      pulling = false
      announced = 0
      if (closed) return
      // Anything else is a bug, after which no stream would continue.
      if (!(error instanceof StoreFailure)) throw error
      logger.warn({ err: error }, 'the log could not be read; it is read again at the next poll')
    }
  }

  const poll = setInterval(() => void look(), pollMs)
  poll.unref()
  const endNotice = log.onAppend((events) => {
    if (!pulling && events[0]?.position === recent.end + 1) return append(events)
    announced = Math.max(announced, events.at(-1)?.position ?? 0)
    void look()
  })
  // Before the streams, which then read the log.
  const endBranches = log.onBranch((last) => {
    recent = createRecentEvents(Math.min(recent.end, last), capacity)
    states.clear()
    announced = 0
    void look()
  })
  wakeUps.onWake((position) => {
    if (closed || (position !== null && position <= Math.max(recent.end, announced))) return
    announced = Math.max(announced, position ?? 0)
    void look()
  })

  return {
    open: followed.open,
    leave: followed.leave,
    wait(waiting) {
      if (waiting.waitIndex !== -1) return
      const others = waitingFor.get(waiting.streamId)
      waiting.waitIndex = others?.length ?? 0
      if (others === undefined) waitingFor.set(waiting.streamId, [waiting])
      else others.push(waiting)
    },
    cancel(waiting) {
      const { waitIndex } = waiting
      const others = waitIndex === -1 ? undefined : waitingFor.get(waiting.streamId)
      const last = others?.pop()
      if (others === undefined || last === undefined) return
      waiting.waitIndex = -1
      if (last !== waiting) {
        others[waitIndex] = last
        last.waitIndex = waitIndex
      }
      if (others.length === 0) waitingFor.delete(waiting.streamId)
    },
    next: (position, streamId, matches) => recent.next(position, streamId, matches),
    previousOfPayment: (event) => recent.previousOfPayment(event),
    states,
    get start() {
      return recent.start
    },
    get end() {
      return recent.end
    },
    get listeners() {
      return followed.count
    },
    get closed() {
      return closed
    },
    close() {
      closed = true
      clearInterval(poll)
      endNotice()
      endBranches()
      const all = [...waitingFor.values()]
      waitingFor.clear()
      for (const waiting of all.flat()) waiting.stop()
    },
  }
}

/** How many followers each stream has. */
type FollowedStreams = {
  /** Number of followers of all streams. */
  readonly count: number
  /** Adds a follower of a stream, or of the whole log (null). */
  open(streamId: string | null): void
  leave(streamId: string | null): void
}

/** Has wake-ups follow each stream from its first follower to its last. */
function createFollowedStreams({ follow, unfollow }: Pick<WakeUps, 'follow' | 'unfollow'>): FollowedStreams {
  const counts = new Map<string | null, number>()
  let count = 0
  return {
    get count() {
      return count
    },
    open(streamId) {
      count += 1
      const others = counts.get(streamId) ?? 0
      counts.set(streamId, others + 1)
      if (others === 0) follow(streamId)
    },
    leave(streamId) {
      count -= 1
      const others = (counts.get(streamId) ?? 0) - 1
      if (others > 0) counts.set(streamId, others)
      else {
        counts.delete(streamId)
        unfollow(streamId)
      }
    },
  }
}

/**
 * The newest part of the log in memory: all events after `start`, without a gap. Streams that keep up are served from it without a
 * query.
 */
export type RecentEvents = {
  /** All events after this position are in memory. */
  readonly start: number
  /** Position of the newest event in memory. */
  readonly end: number
  append(events: readonly PaymentEvent[]): void
  /** Returns the first event after a position, of one stream or of all, that `matches`; null if there is none. */
  next(position: number, streamId: string | null, matches?: EventPredicate): PaymentEvent | null
  /** Returns the event before an event of a payment, of the same payment; null if there is none in memory. */
  previousOfPayment(event: PaymentEvent): PaymentEvent | null
}

type EventPredicate = (event: PaymentEvent) => boolean

export function createRecentEvents(start: number, capacity: number): RecentEvents {
  let from = start
  let all: PaymentEvent[] = []
  const byStream = new Map<string, PaymentEvent[]>()

  const forget = (count: number) => {
    for (const event of all.slice(0, count)) {
      const stream = byStream.get(event.streamId)
      stream?.shift()
      if (stream?.length === 0) byStream.delete(event.streamId)
      from = event.position
    }
    all = all.slice(count)
  }

  return {
    get start() {
      return from
    },
    get end() {
      return all.at(-1)?.position ?? from
    },
    append(events) {
      for (const event of events) {
        all.push(event)
        const stream = byStream.get(event.streamId)
        if (stream === undefined) byStream.set(event.streamId, [event])
        else stream.push(event)
      }
      // Half at a time, so that the cost of removal is amortised over many appends.
      if (all.length > capacity) forget(all.length - Math.ceil(capacity / 2))
    },
    next(position, streamId, matches) {
      const events = streamId === null ? all : byStream.get(streamId)
      if (events === undefined || (events.at(-1)?.position ?? 0) <= position) return null
      for (let index = firstAfter(events, position); index < events.length; index += 1) {
        const event = events[index]
        if (event !== undefined && (matches?.(event) ?? true)) return event
      }
      return null
    },
    previousOfPayment({ streamId, position, payment }) {
      const earlier = (other: PaymentEvent) => other.position < position && other.payment?.id === payment?.id
      return byStream.get(streamId)?.findLast(earlier) ?? null
    },
  }
}

/** Index of the first event after a position, by binary search: positions rise. */
function firstAfter(events: readonly PaymentEvent[], position: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}
