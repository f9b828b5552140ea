import type { PaymentEvent } from '../domain/payment-event.ts'
import type { EventFilter, EventLog } from '../store/store.ts'
import type { SliceScheduler } from './slice-scheduler.ts'
import type { StreamItem, StreamStart } from './stream-item.ts'
import type { Tail } from './tail.ts'
import type { Wake } from './wake.ts'

export type FollowOptions = {
  readonly log: EventLog
  readonly tail: Tail
  /** The one stream to follow; null for the whole log. */
  readonly streamId: string | null
  /** Further conditions on the events of the whole log. */
  readonly matches?: (event: PaymentEvent) => boolean
  readonly filter?: EventFilter
  readonly start: StreamStart
  /** Asked before every item, so that a crowd of streams holds up nothing else. */
  readonly scheduler: SliceScheduler
  /** Asked before every page: a stream whose reader has lost the right to it ends. */
  readonly allowed: () => boolean
}

const PAGE = 200

/**
 * One stream: the state or the replay, then CAUGHT_UP, then live. A stream is a position and a filter, never a queue: it
 * takes the next page only when the reader has taken the last item, so a slow reader holds up nobody and costs no memory,
 * and between replay and live there is neither a hole nor a repeat, because both are reads of the same log after the same
 * position. `return()` ends it at once, also while it waits.
 */
export function follow(options: FollowOptions): AsyncIterableIterator<StreamItem> {
  const wake = options.tail.listen(options.streamId)
  const items = run(options, wake)
  const end = async () => {
    wake.close()
    return items.return(undefined)
  }
  return {
    next: async () => {
      try {
        await options.scheduler.enter()
        const result = await items.next()
        if (result.done === true) wake.close()
        return result
      } catch (error) {
        wake.close()
        throw error
      }
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* run(options: FollowOptions, wake: Wake): AsyncGenerator<StreamItem, undefined> {
  const { start } = options
  const head = start.kind === 'snapshot' ? start.head : await options.log.head()
  let position = start.kind === 'after' ? start.position : head
  let previous = start.kind === 'after' ? start.position : null

  if (position > head) {
    yield { kind: 'RESYNC_REQUIRED', position: head, previous: null, reason: 'The cursor lies beyond the log.' }
    return
  }
  if (start.kind === 'snapshot') {
    if (!options.allowed()) return
    const { link, payment, agreement } = start
    yield { kind: 'SNAPSHOT', position, previous, link, payment, agreement }
    previous = position
  }

  for (let caughtUp = false; !wake.closed && options.allowed();) {
    const page = await nextPage(options, position, caughtUp ? position : head)
    for (const event of page.events) {
      if (!caughtUp && event.position > head) {
        yield { kind: 'CAUGHT_UP', position: head, previous }
        caughtUp = true
        previous = head
      }
      if (!options.allowed()) return
      yield { kind: 'EVENT', position: event.position, previous, event }
      previous = position = event.position
    }
    position = Math.max(position, page.readTo)
    if (page.events.length > 0) continue
    if (caughtUp) {
      await wake.wait()
      // One event wakes a crowd at once.
      await options.scheduler.enter()
      continue
    }
    position = Math.max(position, head)
    yield { kind: 'CAUGHT_UP', position, previous }
    caughtUp = true
    previous = position
  }
}

type EventPage = {
  readonly events: readonly PaymentEvent[]
  /** Nothing up to here is left to read. */ readonly readTo: number
}

/**
 * From memory where the tail holds all from the position to `upTo`, otherwise from the store: the tail may lag behind the
 * log's head, and what it does not hold yet must not pass for absent.
 */
async function nextPage(options: FollowOptions, position: number, upTo: number): Promise<EventPage> {
  const { log, tail, streamId, filter, matches } = options
  const recent = tail.end < upTo ? null : tail.after(position, streamId)
  if (recent !== null) return { events: matches === undefined ? recent : recent.filter(matches), readTo: tail.end }
  const events = await log.read(position, PAGE, streamId === null ? filter : { streamIds: [streamId] })
  return { events, readTo: events.at(-1)?.position ?? position }
}
