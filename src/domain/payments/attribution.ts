import type { Command } from '../command.ts'
import { mayBeRecordedAs, type Money } from '../money/money.ts'
import type { PaymentLink } from './payment-link.ts'
import { type PaymentReport, PAID_RANK } from './payment-report.ts'
import type { Payment } from './payment.ts'

/**
 * Returns whether a webhook may be about this payment. A webhook at the URL of one link must not name another link, nor a payment that was
 * made through another link. An authentic body that does is an error of its sender, and is quarantined.
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
 * Returns the report with the id of the payment that the response to a read is about. For a read of a link, the payments API may use the
 * link's own uuid or the payment's; the link's uuid is replaced by the payment's. Returns null if the response names neither, because it is
 * then about another payment. For a link without a known payment, also returns null if the response does not name the link and has another
 * amount or currency than the link.
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
  return amount === null || mayBeRecordedAs(requested, amount)
}

/** Result of a read of a link without a known payment. */
type UntouchedLink = 'untouched' | 'expired' | 'paid-through'

/**
 * Returns the state of a link without a known payment. For an unused link, the payments API responds as if there were a payment with the
 * link's own uuid: pending while the link is open, expired afterwards. Every other response is about a payment that is not recorded yet.
 */
export function readOfUnusedLink(link: PaymentLink, report: PaymentReport): UntouchedLink {
  if (report.paymentId !== link.id) return 'paid-through'
  if (report.status === 'pending') return 'untouched'
  return report.status === 'expired' ? 'expired' : 'paid-through'
}

/**
 * Returns whether a link of which only the correlation id is known is an orphan: the payments API has created it, and no client received
 * it. It is not an orphan while the attempt that requested it is in flight. `command` is null if it was deleted; `now` is in milliseconds
 * since the epoch.
 */
export function isOrphan(ref: string, command: Command | null, now: number): boolean {
  if (command === null) return true
  const underWay = command.state === 'SENT' && command.ref === ref && command.leaseUntil > now
  return !underWay
}

/** Returns whether a change made an unpaid payment paid. */
export function hasBecomePaid(before: Pick<Payment, 'rank'> | null, after: Pick<Payment, 'rank'>): boolean {
  return after.rank >= PAID_RANK && (before === null || before.rank < PAID_RANK)
}
