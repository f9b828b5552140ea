import { compareDecimals, subtractDecimals } from '../money/money.ts'
import type { PaymentReport } from './payment-report.ts'
import type { PaymentStatus } from './payment-status.ts'
import type { Payment } from './payment.ts'

/** The statuses that result from a refund request. */
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
  /** The result of a read now. */
  readonly report: PaymentReport
}

/**
 * Returns whether the refund that a payment shows is the requested one: the status or the total has changed since, the description is ours,
 * and the totals differ by our amount. Another party may refund the same payment meanwhile, so a missing description counts as a
 * difference.
 */
export function isThisRefund({ amount, description }: Asked, { before, since, report }: Seen): boolean {
  if (!REFUND_STATUSES.has(report.status) || report.refundDescription?.trim() !== description.trim()) return false
  const states = [before, ...since, report]
  const descends = states.slice(1).some((state, index) => hasMoved(states[index] ?? before, state))
  return descends && fitsAmount(amount, before, report)
}

/**
 * Returns whether a refund was requested between two states, or changed the total; a second partial refund may do so without a change of
 * status.
 */
function hasMoved(earlier: State, later: State): boolean {
  if (REFUND_STATUSES.has(later.status) && later.status !== earlier.status) return true
  return compareDecimals(refundedOf(later), refundedOf(earlier)) > 0
}

/**
 * Returns whether the totals agree with the requested amount. An unchanged total is no contradiction while the refund is pending, or if it
 * was rejected or has expired. The total may be that of all refunds, or of this one (gap sheet, section 12).
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
