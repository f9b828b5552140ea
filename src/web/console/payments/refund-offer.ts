import { recogniseStatus } from '../../../domain/payments/payment-status.ts'
import { refundableAmount, refundBar, type RefundBar } from '../../../domain/payments/refund-rules.ts'
import type { AmountValue } from '../pieces/amount.tsx'
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
