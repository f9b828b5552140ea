import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'

/** A link as a resolver's parent. The payment is set where the answer is about a moment that is past: an event's. */
export type LinkView = PaymentLink & { readonly payment?: Payment | null }

/** What the customer does now, as a resolver's parent. */
export type NextActionView = {
  readonly kind: 'OPEN_CHECKOUT' | 'COMPLETE_3DS' | 'WAIT' | 'START_AGAIN' | 'CONTACT_SUPPORT'
  readonly url: string | null
  readonly notBefore: string | null
}

/** Why a payment failed, as a resolver's parent. */
export type FailureView = {
  readonly codeRaw: string
  readonly upstreamMessage: string | null
  readonly failedAt: string
}
