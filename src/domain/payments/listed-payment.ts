import type { PaymentReport } from './payment-report.ts'
import { PAID_RANK } from './payment-status.ts'
import { decideRead, type Payment } from './payment.ts'

/**
 * Returns whether an entry of a list may be used instead of a read of this payment. After a refund or a dispute the details matter, which
 * entries may not contain; and a doubt is settled only by a read of the payment (gap sheet, sections 5.3 and 10).
 */
export function isListable({ rank, status, provisional }: Pick<Payment, 'rank' | 'status' | 'provisional'>): boolean {
  return !provisional && status !== null && rank <= PAID_RANK
}

/** Returns whether an entry of a list agrees with the recorded payment and may be used instead of a read. */
export function confirmsListed(payment: Payment, report: PaymentReport): boolean {
  return isListable(payment) && decideRead(payment, report).disposition === 'NO_CHANGE'
}

/**
 * Returns whether an entry of the list of links may show a link that nobody has begun to pay through: the payments API then lists it as if
 * there were a payment with the link's own uuid, which is pending or expired, and the flat form does not tell the two apart (gap sheet,
 * sections 5.3 and 5.4). Such an entry is no payment yet; once it is one, it has another status or another uuid.
 */
export function isPerhapsUnused({ paymentId, linkId, status }: PaymentReport): boolean {
  const isOwn = linkId === null || linkId === paymentId
  return isOwn && (status === 'pending' || status === 'expired')
}
