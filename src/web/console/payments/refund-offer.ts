import { recogniseStatus } from '../../../domain/payments/payment-report.ts'
import { refundableAmount, refundBar, type RefundBar } from '../../../domain/payments/refund-rules.ts'
import type { RefundPaymentInput } from '../generated/graphql.ts'
import type { AmountValue } from '../pieces/values.tsx'
import { keepInSession, readKept } from '../session/session.ts'
import type { PaymentNow } from './payment.tsx'

type Refunded = Pick<
  PaymentNow,
  'amount' | 'paid' | 'refunded' | 'refundable' | 'statusRaw' | 'methodRaw' | 'card' | 'method'
>

/** Returns the amount that can still be refunded. */
export function leftOf(payment: Refunded): AmountValue {
  return { ...payment.amount, value: refundableAmount(refundableOf(payment)) ?? payment.amount.value }
}

/** Returns a sentence that says why a payment takes no refund now; null if it takes one. */
export function refundObstacle(payment: Refunded): string | null {
  const bar = refundBar(refundableOf(payment), { refundable: payment.method?.traits.refundable ?? null })
  return bar === null ? null : REASONS[bar](payment)
}

const REASONS: Readonly<Record<RefundBar, (payment: Refunded) => string>> = {
  status: ({ statusRaw }) => `Nothing can be refunded while the status is ${statusRaw}.`,
  'nothing-left': () => 'Nothing is left to refund.',
  method: () => 'The payments API takes no refund for this payment: pay the customer in another way.',
}

function refundableOf({ amount, paid, refunded, refundable, statusRaw, methodRaw, card }: Refunded) {
  return {
    status: recogniseStatus(statusRaw),
    details: {
      amount: amount.value,
      paid: paid?.value ?? null,
      refunded: refunded?.value ?? null,
      refundable,
      methodRaw,
      card,
    },
  }
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
