import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import type { EventFilter } from '../store/store.ts'

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
