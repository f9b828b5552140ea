import type { PaymentEvent } from '../domain/payments/payment-event.ts'

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
}

export type EventPredicate = (event: PaymentEvent) => boolean

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
