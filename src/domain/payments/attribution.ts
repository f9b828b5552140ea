import { compareDecimals, type Money } from '../money/money.ts'
import type { PaymentLink } from './payment-link.ts'
import type { PaymentReport } from './payment-report.ts'
import type { Payment } from './payment.ts'

/**
 * Returns whether a webhook can be about this payment: it was received at the URL of one link, so it must not name another link, nor a
 * payment that was made through another link. An authentic webhook for which this is false is quarantined.
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
 * Returns the report of a read with the id of the payment that it is about. For a read of a link the payments API may answer with the
 * link's own uuid or with the payment's; the link's uuid is replaced. Returns null if the report is about something else: if it names
 * neither, or if it is about an unknown payment that neither names the link nor has the link's amount.
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

/** What a read shows for a link without a known payment. */
export type UntouchedLink = 'untouched' | 'expired' | 'paid-through'

/**
 * For an unused link the payments API returns a payment with the link's own uuid: pending while the link is open, expired afterwards. Any
 * other report is a payment that was unknown so far.
 */
export function readOfUnusedLink(link: PaymentLink, report: PaymentReport): UntouchedLink {
  if (report.paymentId !== link.id) return 'paid-through'
  if (report.status === 'pending') return 'untouched'
  return report.status === 'expired' ? 'expired' : 'paid-through'
}
