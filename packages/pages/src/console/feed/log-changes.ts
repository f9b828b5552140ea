import { createContext } from 'preact'
import type { PaymentEventKind } from '../generated/graphql.ts'
import type { AmountValue } from '../pieces/values.tsx'

/** Takes new events of the log; null when anything may have changed, because the stream was interrupted or connected anew. */
type LogListener = (events: readonly FeedEvent[] | null) => void

/** Tells the views that the log has grown, so that each reads again what the events concern. */
export type LogChanges = {
  /** Calls the listener for each change. Returns the function that stops it. */
  readonly listen: (listener: LogListener) => () => void
  readonly tell: LogListener
}

/** Creates the changes of one session's event stream. */
export function createLogChanges(): LogChanges {
  const listeners = new Set<LogListener>()
  return {
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (events) => {
      for (const listener of listeners) listener(events)
    },
  }
}

/** Outside of a session nothing changes. */
export const LogContext = createContext<LogChanges>(createLogChanges())

/** An event as the feed shows it. */
export type FeedEvent = {
  readonly id: string
  readonly kind: PaymentEventKind
  readonly receivedAt: string
  readonly source: string
  readonly fromStatus: string | null
  readonly toStatus: string | null
  readonly paymentId: string | null
  readonly linkId: string | null
  readonly agreementId: string | null
  readonly reference: string | null
  readonly amount: AmountValue | null
}

/**
 * The state of the feed: the events, oldest first, and the cursor after the last one; both are stored and discarded
 * together.
 */
export type FeedState = {
  readonly events: readonly FeedEvent[]
  readonly cursor: string | null
}

export const EVENT_KINDS: readonly PaymentEventKind[] = [
  'LINK_CREATED',
  'LINK_EXPIRED',
  'PAYMENT_STATUS_CHANGED',
  'PAYMENT_DETAILS_CHANGED',
  'DUPLICATE_PAYMENT_FOUND',
  'DUPLICATE_PAYMENT_RESOLVED',
  'AGREEMENT_CREATED',
  'AGREEMENT_STATUS_CHANGED',
  'AGREEMENT_AMENDED',
  'PAYOUT_CREATED',
  'PAYOUT_STATUS_CHANGED',
  'PAYOUT_DETAILS_CHANGED',
]

/** Maximum number of events kept per kind, so that frequent kinds do not displace rare ones; also the maximum number shown. */
export const MOST_EVENTS = 500

export const EMPTY_FEED: FeedState = { events: [], cursor: null }

/** Returns the state after new events. `cursor` is that of the last item, which may carry no event. */
export function withMore(state: FeedState, more: readonly FeedEvent[], cursor: string | null): FeedState {
  if (more.length === 0) return cursor === state.cursor ? state : { ...state, cursor }
  return { events: newestOfEachKind([...state.events, ...more]), cursor }
}

/** Returns the newest events of some kinds, newest first; of all kinds when `kinds` is empty. */
export function shownOf(events: readonly FeedEvent[], kinds: readonly PaymentEventKind[]): FeedEvent[] {
  const wanted = kinds.length === 0 ? events : events.filter(({ kind }) => kinds.includes(kind))
  return wanted.slice(-MOST_EVENTS).toReversed()
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
