import type { PaymentEventKind } from '../generated/graphql.ts'
import type { AmountValue } from '../pieces/amount.tsx'

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

/** What the feed holds: the events, oldest first, and the cursor after the last of them; they are kept and lost together. */
export type FeedState = {
  readonly events: readonly FeedEvent[]
  readonly cursor: string | null
}

export const EVENT_KINDS: readonly PaymentEventKind[] = [
  'LINK_CREATED',
  'LINK_EXPIRED',
  'PAYMENT_STATUS_CHANGED',
  'PAYMENT_DETAILS_CHANGED',
  'AGREEMENT_CREATED',
  'AGREEMENT_STATUS_CHANGED',
  'AGREEMENT_AMENDED',
]

/** So many of each kind are held, so that the rare ones are not pushed out by the frequent ones; and so many are shown. */
export const MOST_EVENTS = 500

export const EMPTY_FEED: FeedState = { events: [], cursor: null }

/** The state after more has come: `cursor` is that of the last item, which may have been none of the events. */
export function withMore(state: FeedState, more: readonly FeedEvent[], cursor: string | null): FeedState {
  if (more.length === 0) return cursor === state.cursor ? state : { ...state, cursor }
  return { events: newestOfEachKind([...state.events, ...more]), cursor }
}

/** The newest events of some kinds, newest first; of all kinds when none is named. */
export function shownOf(events: readonly FeedEvent[], kinds: readonly PaymentEventKind[]): FeedEvent[] {
  const wanted = kinds.length === 0 ? events : events.filter(({ kind }) => kinds.includes(kind))
  return wanted.slice(-MOST_EVENTS).toReversed()
}

/** What was kept of an earlier page of the tab; empty where it is none. */
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
