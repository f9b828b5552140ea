import type { RefundPaymentInput } from '../generated/graphql.ts'
import { keep, readKept } from '../session/kept-token.ts'

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
  keep(nameOf(String(input.paymentId)), input)
}

/** Removes a refund whose outcome is known. */
export function settleRefund(paymentId: string): void {
  keep(nameOf(paymentId), null)
}
