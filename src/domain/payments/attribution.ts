import { compareDecimals, type Money } from '../money/money.ts'
import type { PaymentLink } from './payment-link.ts'
import type { PaymentReport } from './payment-report.ts'
import type { Payment } from './payment.ts'

/**
 * Whether a webhook may speak about this payment: it came to the address of one link, so it must not name another link,
 * nor a payment that was made through another one. An authentic body that does is somebody's mistake, and is set aside.
 */
export function belongsTogether(
  report: PaymentReport,
  address: { ref: string | null; link: PaymentLink | null },
  known: Payment | null,
): boolean {
  if (address.ref === null) return true
  if (known !== null && known.linkRef !== null && known.linkRef !== address.ref) return false
  return address.link === null || report.linkId === null || report.linkId === address.link.id
}

/**
 * Names the payment that an answer to a read is about. Asked about a link, the payments API may answer under the link's own
 * uuid, or under the payment's: the former is put right, and what names neither is another payment's answer: null. So is
 * one about a payment that nobody had heard of, which neither names the link nor is of what the link was made for.
 */
export function attributeRead(
  subject: { paymentId: string | null; link: PaymentLink | null },
  report: PaymentReport,
): PaymentReport | null {
  const { paymentId, link } = subject
  if (link !== null && report.linkId !== null && report.linkId !== link.id) return null
  if (paymentId === null)
    return link === null || names(report, link) || isOf(link.requestedAmount, report) ? report : null
  if (report.paymentId === paymentId) return report
  if (report.paymentId === link?.id) return { ...report, paymentId }
  return link !== null && report.linkId === link.id ? report : null
}

function names(report: PaymentReport, link: PaymentLink): boolean {
  return report.linkId === link.id || report.paymentId === link.id
}

function isOf(requested: Money, { details: { currency, amount } }: PaymentReport): boolean {
  if (currency !== null && currency !== requested.currency) return false
  return amount === null || compareDecimals(amount, requested.value) === 0
}

/** What a read tells of a link through which no payment is known. */
export type UntouchedLink = 'untouched' | 'expired' | 'paid-through'

/**
 * Asked about a link that nobody has used, the payments API answers as if there were a payment with the link's own uuid:
 * pending while the link is open, expired afterwards. Everything else is a payment that we had not heard of.
 */
export function readOfUnusedLink(link: PaymentLink, report: PaymentReport): UntouchedLink {
  if (report.paymentId !== link.id) return 'paid-through'
  if (report.status === 'pending') return 'untouched'
  return report.status === 'expired' ? 'expired' : 'paid-through'
}
