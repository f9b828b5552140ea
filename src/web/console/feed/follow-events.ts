import {
  ask,
  PaymentsClientError,
  watchPaymentEvents,
  type Connection,
  type PaymentUpdate,
} from '../../../client/index.ts'
import { NewestEventsDocument, type NewestEventsQuery } from '../generated/graphql.ts'
import { endpointOf, type Session } from '../session/session.ts'
import type { FeedEvent } from './log-changes.ts'

export type Listener = {
  readonly onConnection: (connection: Connection) => void
  /** Called once with the newest events, if the stream has no cursor to start after, and the cursor behind them. */
  readonly onNewest: (events: readonly FeedEvent[], cursor: string) => void
  /** Called for every item with its cursor; the event is null on an item without one. */
  readonly onItem: (event: FeedEvent | null, cursor: string) => void
  /** Called when the log does not reach back to the cursor: the stream continues from now. */
  readonly onGap: () => void
  /** Called when the stream cannot continue. */
  readonly onEnd: (error: PaymentsClientError) => void
}

/** How many events a feed begins with: the maximum of a page. */
const NEWEST = 100
/** Milliseconds between two attempts to read the newest events. */
const RETRY_MS = 2_000

/** Follows every event after a cursor, by default after the newest ones, which come first. Returns the function that stops it. */
export function followEvents(session: Session, after: string | null, listener: Listener): () => void {
  const control = new AbortController()
  const { signal } = control
  const follow = async () => {
    const start = after ?? (await takeNewest(session, listener, signal))
    const updates = watchPaymentEvents(null, {
      ...endpointOf(session),
      ...(start === null ? {} : { after: start }),
      signal,
      onConnection: listener.onConnection,
    })
    for await (const update of updates) {
      if (update.kind === 'SNAPSHOT') listener.onGap()
      listener.onItem(feedEventOf(update), update.cursor)
    }
  }
  follow().catch((error: unknown) => {
    if (signal.aborted) return
    if (error instanceof PaymentsClientError) listener.onEnd(error)
    else throw error
  })
  return () => control.abort()
}

/** Passes the newest events on, and returns the cursor after them; null for an empty log. Retries until there is an answer. */
async function takeNewest(session: Session, listener: Listener, signal: AbortSignal): Promise<string | null> {
  for (;;) {
    try {
      const { paymentEvents } = await ask(NewestEventsDocument, { last: NEWEST }, endpointOf(session), { signal })
      const cursor = paymentEvents?.pageInfo.endCursor ?? null
      if (cursor !== null) listener.onNewest((paymentEvents?.nodes ?? []).map(toFeedEvent), cursor)
      return cursor
    } catch (error) {
      if (!(error instanceof PaymentsClientError && error.retryable)) throw error
      listener.onConnection('offline')
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS))
      signal.throwIfAborted()
    }
  }
}

type StoredEvent = NonNullable<NewestEventsQuery['paymentEvents']>['nodes'][number]

function toFeedEvent({ payment, link, agreement, ...event }: StoredEvent): FeedEvent {
  return {
    ...event,
    paymentId: payment?.id ?? null,
    linkId: link?.id ?? null,
    agreementId: agreement?.id ?? null,
    reference: link?.reference ?? agreement?.clientTransactionId ?? null,
    amount: payment?.amount ?? link?.requestedAmount ?? null,
  }
}

function feedEventOf({ event, payment, link, agreement }: PaymentUpdate): FeedEvent | null {
  if (event === null) return null
  const { id, kind, receivedAt, source, fromStatus, toStatus } = event
  return toFeedEvent({
    id,
    kind,
    receivedAt,
    source,
    fromStatus,
    toStatus,
    payment,
    link,
    agreement: agreement ?? null,
  })
}
