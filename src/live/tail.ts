import type { PaymentEvent } from '../domain/payment-event.ts'
import type { Logger } from '../log.ts'
import { StoreFailure } from '../store/errors.ts'
import type { EventLog } from '../store/store.ts'
import { createRecentEvents } from './recent-events.ts'
import { createWake, type Wake } from './wake.ts'

/**
 * The end of the log, once per process however many streams follow it. What this process appends is taken as it is where it
 * follows what is here; otherwise, as when other nodes have appended something in between, the log is read. A slow poll stands
 * behind that, so that a lost notice costs time and nothing else.
 */
export type Tail = {
  /** Registers a follower of one stream, or of all. Its wake rings after each pull that brought something for it. */
  listen(streamId: string | null): Wake
  /** Events after a position; null when the position lies before what is kept in memory. */
  after(position: number, streamId: string | null): readonly PaymentEvent[] | null
  /** Position up to which the tail has read the log. */
  readonly end: number
  /** How many followers are registered. */
  readonly listeners: number
  close(): void
}

export type TailOptions = {
  readonly log: EventLog
  readonly logger: Logger
  /** Milliseconds between two looks when nothing wakes the tail. */
  readonly pollMs?: number
  /** How many events stay in memory. */
  readonly capacity?: number
}

const POLL_MS = 5_000
const CAPACITY = 10_000
const PAGE = 1_000

export async function startTail({ log, logger, pollMs = POLL_MS, capacity = CAPACITY }: TailOptions): Promise<Tail> {
  const recent = createRecentEvents(await log.head(), capacity)
  const listeners = new Map<string | null, Set<Wake>>()
  let pulling = false
  let wokenMeanwhile = false
  let closed = false

  const ringFor = (events: readonly PaymentEvent[]) => {
    for (const streamId of new Set(events.map((event) => event.streamId)))
      for (const wake of listeners.get(streamId) ?? []) wake.ring()
    for (const wake of listeners.get(null) ?? []) wake.ring()
  }

  const readNew = async () => {
    do {
      wokenMeanwhile = false
      for (;;) {
        const events = await log.read(recent.end, PAGE)
        if (closed || events.length === 0) break
        recent.append(events)
        ringFor(events)
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
    if (!pulling && events[0]?.position === recent.end + 1) {
      recent.append(events)
      ringFor(events)
    } else void look()
  })

  return {
    listen(streamId) {
      const wake = createWake()
      const set = listeners.get(streamId) ?? new Set()
      listeners.set(streamId, set.add(wake))
      const { close } = wake
      wake.close = () => {
        close()
        set.delete(wake)
        if (set.size === 0 && listeners.get(streamId) === set) listeners.delete(streamId)
      }
      return wake
    },
    after: (position, streamId) => recent.after(position, streamId),
    get end() {
      return recent.end
    },
    get listeners() {
      return [...listeners.values()].reduce((sum, set) => sum + set.size, 0)
    },
    close() {
      closed = true
      clearInterval(poll)
      endNotice()
      for (const set of listeners.values()) for (const wake of set) wake.close()
    },
  }
}
