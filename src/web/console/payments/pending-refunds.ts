import type { RefundPaymentInput } from '../generated/graphql.ts'
import { keep, readKept } from '../session/kept-token.ts'

const nameOf = (paymentId: string): string => `refund.${paymentId}`

/**
 * A refund that was sent and whose outcome is not known here. It outlives its dialog and a reload: asked again, it has to be
 * asked with the same key and the same words.
 */
export function pendingRefund(paymentId: string): RefundPaymentInput | null {
  return readKept(nameOf(paymentId)) as RefundPaymentInput | null
}

/** Remembers a refund before it is sent. */
export function rememberRefund(input: RefundPaymentInput): void {
  keep(nameOf(String(input.paymentId)), input)
}

/** Forgets a refund whose outcome is known. */
export function settleRefund(paymentId: string): void {
  keep(nameOf(paymentId), null)
}
