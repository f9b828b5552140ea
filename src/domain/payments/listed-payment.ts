import type { PaymentReport } from './payment-report.ts'
import { PAID_RANK } from './payment-status.ts'
import { decideRead, type Payment } from './payment.ts'

/**
 * Whether an entry of a list may stand for a read of this payment. After a refund or a dispute its details count, which
 * entries are not known to tell; and a doubt is settled by the payment itself (gap sheet, sections 5.3 and 10).
 */
export function isListable({ rank, status, provisional }: Pick<Payment, 'rank' | 'status' | 'provisional'>): boolean {
  return !provisional && status !== null && rank <= PAID_RANK
}

/** Whether an entry of a list says what is known of a payment already. */
export function confirmsListed(payment: Payment, report: PaymentReport): boolean {
  return isListable(payment) && decideRead(payment, report).disposition === 'NO_CHANGE'
}
