import { PaymentsClientError, watchPaymentEvents, type Connection, type PaymentUpdate } from '../../../client/index.ts'
import { endpointOf } from '../session/endpoint.ts'
import type { Session } from '../session/session.ts'
import type { FeedEvent } from './feed-state.ts'

export type Listener = {
  readonly onConnection: (connection: Connection) => void
  /** Called for every item with its cursor; the event is null on an item without one. */
  readonly onItem: (event: FeedEvent | null, cursor: string) => void
  /** Called when the log does not reach back to the cursor: the stream continues from now. */
  readonly onGap: () => void
  /** Called when the stream cannot continue. */
  readonly onEnd: (error: PaymentsClientError) => void
}

/** Follows every event, from now on or after a cursor. Returns the function that stops it. */
export function followEvents(session: Session, after: string | null, listener: Listener): () => void {
  const control = new AbortController()
  const updates = watchPaymentEvents(null, {
    ...endpointOf(session),
    ...(after === null ? {} : { after }),
    signal: control.signal,
    onConnection: listener.onConnection,
  })
  const follow = async () => {
    for await (const update of updates) {
      if (update.kind === 'SNAPSHOT') listener.onGap()
      listener.onItem(feedEventOf(update), update.cursor)
    }
  }
  follow().catch((error: unknown) => {
    if (error instanceof PaymentsClientError) listener.onEnd(error)
    else throw error
  })
  return () => control.abort()
}

function feedEventOf({ event, payment, link, agreement }: PaymentUpdate): FeedEvent | null {
  if (event === null) return null
  const { id, kind, receivedAt, source, fromStatus, toStatus } = event
  return {
    id,
    kind,
    receivedAt,
    source,
    fromStatus,
    toStatus,
    paymentId: payment?.id ?? null,
    linkId: link?.id ?? null,
    agreementId: agreement?.id ?? null,
    reference: link?.reference ?? agreement?.clientTransactionId ?? null,
    amount: payment?.amount ?? link?.requestedAmount ?? null,
  }
}
