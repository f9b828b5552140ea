import type { RefundPaymentInput } from '../generated/graphql.ts'
import { keepInSession, readKept } from '../session/session.ts'
import type { PaymentNow } from './payment-now.ts'

/** Returns a sentence that says why a payment takes no refund now; null if it takes one. */
export function refundObstacle({ refundable, refundableAmount, method, status, statusRaw }: PaymentNow): string | null {
  if (method?.traits.refundable === false || (refundable === false && status === 'RECEIVED'))
    return 'The payments API takes no refund for this payment: pay the customer in another way.'
  return refundableAmount === null ? `Nothing can be refunded while the status is ${statusRaw}.` : null
}

const nameOf = (paymentId: string): string => `refund.${paymentId}`

/**
 * Returns a refund that was sent and whose outcome is unknown. It survives its dialog and a reload, because a retry must use
 * the same idempotency key and the same input.
 */
export function pendingRefund(paymentId: string): RefundPaymentInput | null {
  return readKept(nameOf(paymentId)) as RefundPaymentInput | null
}

/** Stores a refund before it is sent. */
export function rememberRefund(input: RefundPaymentInput): void {
  keepInSession(nameOf(String(input.paymentId)), input)
}

/** Removes a refund whose outcome is known. */
export function settleRefund(paymentId: string): void {
  keepInSession(nameOf(paymentId), null)
}
