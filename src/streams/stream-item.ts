import type { Agreement } from '../domain/agreements/agreement.ts'
import type { PaymentEvent } from '../domain/events/payment-event.ts'
import type { GatewayPayment } from '../domain/gateway/gateway-payment.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { Payout } from '../domain/payouts/payout.ts'
import type { EventFilter } from '../store/port.ts'

/** One item of a stream. Positions are positions in the log; resolvers encode them as cursors. */
export type StreamItem = {
  readonly position: number
  /** Position of the previous item of this stream; null on the first item of a stream without `after`. */
  readonly previous: number | null
} & (
  | ({ readonly kind: 'SNAPSHOT' } & Snapshot)
  | { readonly kind: 'EVENT'; readonly event: PaymentEvent }
  | { readonly kind: 'CAUGHT_UP' }
  | { readonly kind: 'RESYNC_REQUIRED'; readonly reason: string }
)

/** The state of the followed subject at one position. */
export type Snapshot = {
  readonly link: PaymentLink | null
  readonly payment: Payment | null
  readonly agreement: Agreement | null
  readonly payout: Payout | null
  readonly gatewayPayment: GatewayPayment | null
}

/** Where a stream begins. */
export type StreamStart =
  /** With the current state, then the events after the position at which it was read. */
  | ({ readonly kind: 'snapshot'; readonly head: number } & Snapshot)
  /** With the events after a position that the client has received. */
  | { readonly kind: 'after'; readonly position: number }
  /** With events that are appended from now on. */
  | { readonly kind: 'now' }
  /** With RESYNC_REQUIRED, after which the stream ends. */
  | { readonly kind: 'nowhere'; readonly reason: string }

/**
 * Returns the store's filter as a predicate on events in memory. Links are given by their correlation ids, which events contain.
 */
export function eventMatcher(
  filter: EventFilter,
  linkRefs: readonly string[] | null,
): (event: PaymentEvent) => boolean {
  const payments = setOf(filter.paymentIds)
  const links = setOf(linkRefs)
  const agreements = setOf(filter.agreementIds)
  const payouts = setOf(filter.payoutIds)
  const gatewayPayments = setOf(filter.gatewayPaymentIds)
  const kinds = setOf(filter.kinds)
  return (event) =>
    (payments?.has(event.payment?.id ?? '') ?? true) &&
    (links?.has(event.linkRef ?? '') ?? true) &&
    (agreements?.has(event.agreement?.id ?? '') ?? true) &&
    (payouts?.has(event.payout?.id ?? '') ?? true) &&
    (gatewayPayments?.has(event.gatewayPayment?.id ?? '') ?? true) &&
    (kinds?.has(event.kind) ?? true)
}

function setOf<Value>(values: readonly Value[] | null | undefined): ReadonlySet<Value> | null {
  return values === null || values === undefined ? null : new Set(values)
}
