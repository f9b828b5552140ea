import { compareDecimals, subtractDecimals } from '../money/money.ts'
import type { PaymentReport } from './payment-report.ts'
import type { PaymentStatus } from './payment-status.ts'
import type { Payment } from './payment.ts'

/** The statuses of a payment for which a refund was requested. */
const REFUND_STATUSES: ReadonlySet<PaymentStatus | null> = new Set([
  'return_pending',
  'return_received',
  'return_rejected',
  'return_expired',
  'partially_refunded',
])

type State = Pick<Payment, 'status' | 'details'>

type Asked = {
  /** Plain digits; null for the whole remaining amount. */
  readonly amount: string | null
  readonly description: string
}

type Seen = {
  /** The payment when the refund was requested. */
  readonly before: State
  /** Its states since then, oldest first. */
  readonly since: readonly State[]
  /** The current state according to a read. */
  readonly report: PaymentReport
}

/**
 * Returns whether the refund of a payment is the requested one: the state has changed since, the payments API reports our description, and
 * the totals differ by our amount. Another user may refund the same payment at the same time, so a missing description or total counts as
 * a mismatch.
 */
export function isThisRefund({ amount, description }: Asked, { before, since, report }: Seen): boolean {
  if (!REFUND_STATUSES.has(report.status) || report.refundDescription?.trim() !== description.trim()) return false
  const states = [before, ...since, report]
  const descends = states.slice(1).some((state, index) => hasMoved(states[index] ?? before, state))
  return descends && fitsAmount(amount, before, report)
}

/** Returns whether a refund was requested or has changed the total, which a second partial refund may do without a change of status. */
function hasMoved(earlier: State, later: State): boolean {
  if (REFUND_STATUSES.has(later.status) && later.status !== earlier.status) return true
  return compareDecimals(refundedOf(later), refundedOf(earlier)) > 0
}

/**
 * An unchanged total contradicts nothing while the refund is pending, rejected or expired. The figure may be the total of all refunds, or
 * of this one (gap sheet, section 12).
 */
function fitsAmount(amount: string | null, before: State, report: PaymentReport): boolean {
  const [earlier, now] = [refundedOf(before), refundedOf(report)]
  const grown = subtractDecimals(now, earlier)
  if (amount === null) return compareDecimals(grown, '0') >= 0
  if (compareDecimals(grown, amount) === 0) return true
  const isPaidOut = report.status === 'partially_refunded' || report.status === 'return_received'
  if (isPaidOut) return false
  return compareDecimals(grown, '0') === 0 || compareDecimals(now, amount) === 0
}

function refundedOf({ details }: State): string {
  return details.refunded ?? '0'
}
