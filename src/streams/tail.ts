import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import type { Logger } from '../observability/logger.ts'
import { StoreFailure } from '../store/store-errors.ts'
import type { EventLog } from '../store/store.ts'
import { createRecentEvents, type EventPredicate } from './recent-events.ts'
import type { Piece, SliceScheduler } from './slice-scheduler.ts'

/** What waits for the next event of one stream, or of all. Runs when there is one. */
export type Waiting = Piece & {
  /** The one stream; null for all. */
  readonly streamId: string | null
  /** Told with each event that it waits for, before it runs: up to this position it has missed nothing. */
  isUpTo(position: number): void
  /** The tail has closed. Does not throw. */
  stop(): void
}

/**
 * The end of the log, once per process however many streams follow it. What this process appends is taken as it is where it
 * follows what is here; otherwise, as when other nodes have appended something in between, the log is read. A slow poll stands
 * behind that, so that a lost notice costs time and nothing else.
 */
export type Tail = {
  /** Counts a follower. */
  open(): void
  /** Counts it as gone. */
  leave(): void
  /** Runs `waiting` once, through the scheduler, after the next event of its stream. */
  wait(waiting: Waiting): void
  /** Takes back a wait, also one that is over. */
  cancel(waiting: Waiting): void
  /** The first event after a position that `matches`; null where there is none, or none any more: see `start`. */
  next(position: number, streamId: string | null, matches?: EventPredicate): PaymentEvent | null
  /** The events after this position are in memory, all of them up to `end`. */
  readonly start: number
  /** Position up to which the tail has read the log. */
  readonly end: number
  /** How many followers are open. */
  readonly listeners: number
  readonly closed: boolean
  close(): void
}

export type TailOptions = {
  readonly log: EventLog
  readonly logger: Logger
  readonly scheduler: Pick<SliceScheduler, 'push'>
  /** Milliseconds between two looks when nothing wakes the tail. */
  readonly pollMs?: number
  /** How many events stay in memory. */
  readonly capacity?: number
}

const POLL_MS = 5_000
const CAPACITY = 10_000
const PAGE = 1_000

export async function startTail(options: TailOptions): Promise<Tail> {
  const { log, logger, scheduler, pollMs = POLL_MS, capacity = CAPACITY } = options
  const recent = createRecentEvents(await log.head(), capacity)
  const waitingFor = new Map<string | null, Set<Waiting>>()
  let listeners = 0
  let pulling = false
  let wokenMeanwhile = false
  let closed = false

  const wake = (streamId: string | null, before: number) => {
    const woken = waitingFor.get(streamId)
    if (woken === undefined) return
    waitingFor.delete(streamId)
    for (const waiting of woken) {
      waiting.isUpTo(before)
      scheduler.push(waiting)
    }
  }
  const append = (events: readonly PaymentEvent[]) => {
    const before = recent.end
    recent.append(events)
    for (const { streamId } of events) wake(streamId, before)
    if (events.length > 0) wake(null, before)
  }

  const readNew = async () => {
    do {
      wokenMeanwhile = false
      for (;;) {
        const events = await log.read(recent.end, PAGE)
        if (closed || events.length === 0) break
        append(events)
        if (events.length < PAGE) break
      }
      // Ends here and not where this is awaited: a wake-up in between would find it at work, and be lost.
      pulling = wokenMeanwhile && !closed
    } while (pulling)
  }

  const look = async () => {
    wokenMeanwhile = true
    if (pulling) return
    pulling = true
    try {
      await readNew()
    } catch (error) {
      pulling = false
      if (closed) return
      // Anything else is a fault of ours, after which no stream would ever move on.
      if (!(error instanceof StoreFailure)) throw error
      logger.warn({ err: error }, 'the log could not be read; the next look comes with the poll')
    }
  }

  const poll = setInterval(() => void look(), pollMs)
  poll.unref()
  const endNotice = log.onAppend((events) => {
    if (!pulling && events[0]?.position === recent.end + 1) append(events)
    else void look()
  })

  return {
    open: () => void (listeners += 1),
    leave: () => void (listeners -= 1),
    wait(waiting) {
      const others = waitingFor.get(waiting.streamId)
      if (others === undefined) waitingFor.set(waiting.streamId, new Set([waiting]))
      else others.add(waiting)
    },
    cancel(waiting) {
      const others = waitingFor.get(waiting.streamId)
      if (others?.delete(waiting) === true && others.size === 0) waitingFor.delete(waiting.streamId)
    },
    next: (position, streamId, matches) => recent.next(position, streamId, matches),
    get start() {
      return recent.start
    },
    get end() {
      return recent.end
    },
    get listeners() {
      return listeners
    },
    get closed() {
      return closed
    },
    close() {
      closed = true
      clearInterval(poll)
      endNotice()
      const all = [...waitingFor.values()]
      waitingFor.clear()
      for (const set of all) for (const waiting of set) waiting.stop()
    },
  }
}
