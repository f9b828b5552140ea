import { isGatewayStream } from '../domain/gateway/gateway-payment.ts'
import { eventId, type PaymentEvent } from '../domain/payments/payment-event.ts'
import { ONLY } from '../store/rows/log-rows.ts'
import type { Rows } from '../store/rows/rows.ts'

export type NewEvent = Omit<PaymentEvent, 'id' | 'position' | 'sequence'> & {
  /** As returned by `nextSequence` if the event's state contains it; otherwise the next one. */
  readonly sequence?: number
}

/** Returns the sequence number of the next event of a stream: 1 for the first. */
export function nextSequence(rows: Rows, streamId: string): number {
  return (rows.streams.first('id', streamId)?.sequence ?? 0) + 1
}

/**
 * Appends an event to the log and to its stream. Returns its id. Only one transaction writes at a time, so positions increase in commit
 * order, and a rollback leaves no gap.
 */
export function appendEvent(rows: Rows, event: NewEvent): string {
  const sequence = event.sequence ?? nextSequence(rows, event.streamId)
  const position = (rows.logHead.first('id', ONLY)?.position ?? 0) + 1
  const id = eventId(event.streamId, sequence)
  rows.logHead.put({ position })
  rows.streams.put({ id: event.streamId, sequence })
  logOf(rows, event).put({ ...event, id, sequence, position })
  return id
}

function logOf(rows: Rows, { payout, streamId }: NewEvent) {
  if (payout !== null) return rows.payoutEvents
  return isGatewayStream(streamId) ? rows.gatewayPaymentEvents : rows.events
}

/** Requests the row of the log's head together with the other rows of a fact, because most facts append an event. */
export function wantLogHead(rows: Rows): void {
  rows.logHead.want('id', ONLY)
}

/** Fields of an event that is about a link without a payment. */
export const OF_A_LINK = {
  fromStatus: null,
  toStatus: null,
  payment: null,
  agreement: null,
  payout: null,
  gatewayPayment: null,
} as const
