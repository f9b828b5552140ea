import type { PaymentReport } from './payment-report.ts'
import { PAID_RANK } from './payment-status.ts'
import { decideRead, type Payment } from './payment.ts'

/**
 * Returns whether a list entry can replace a read of this payment. It cannot after a refund or a dispute, whose details a list may omit,
 * nor while the payment is provisional (gap sheet, sections 5.3 and 10).
 */
export function isListable({ rank, status, provisional }: Pick<Payment, 'rank' | 'status' | 'provisional'>): boolean {
  return !provisional && status !== null && rank <= PAID_RANK
}

/** Returns whether a list entry equals the recorded state of a payment. */
export function confirmsListed(payment: Payment, report: PaymentReport): boolean {
  return isListable(payment) && decideRead(payment, report).disposition === 'NO_CHANGE'
}
