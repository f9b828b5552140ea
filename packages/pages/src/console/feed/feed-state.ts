import type { FeedEvent } from '../pieces/log-changes.ts'

/**
 * The state of the feed: the events, oldest first, and the cursor after the last one; both are stored and discarded
 * together.
 */
export type FeedState = {
  readonly events: readonly FeedEvent[]
  readonly cursor: string | null
}

/** Maximum number of events kept per kind, so that frequent kinds do not displace rare ones. */
const MOST_EVENTS = 500

const EMPTY_FEED: FeedState = { events: [], cursor: null }

/** Returns the state after new events. `cursor` is that of the last item, which may carry no event. */
export function withMore(state: FeedState, more: readonly FeedEvent[], cursor: string | null): FeedState {
  if (more.length === 0) return cursor === state.cursor ? state : { ...state, cursor }
  return { events: newestOfEachKind([...state.events, ...more]), cursor }
}

/** Parses the state that an earlier page of the tab stored; empty when it is not valid. */
export function stateFrom(kept: unknown): FeedState {
  if (typeof kept !== 'object' || kept === null || !('events' in kept) || !('cursor' in kept)) return EMPTY_FEED
  const { events, cursor } = kept
  return Array.isArray(events) && typeof cursor === 'string' ? { events, cursor } : EMPTY_FEED
}

function newestOfEachKind(events: readonly FeedEvent[]): FeedEvent[] {
  const counts = new Map<string, number>()
  const kept: FeedEvent[] = []
  for (const event of events.toReversed()) {
    const count = (counts.get(event.kind) ?? 0) + 1
    counts.set(event.kind, count)
    if (count <= MOST_EVENTS) kept.push(event)
  }
  return kept.reverse()
}
