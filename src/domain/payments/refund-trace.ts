import { compareDecimals, subtractDecimals } from '../money/money.ts'
import type { PaymentReport } from './payment-report.ts'
import type { PaymentStatus } from './payment-status.ts'
import type { Payment } from './payment.ts'

/** The statuses that a payment has because a refund was asked for. */
const REFUND_STATUSES: ReadonlySet<PaymentStatus | null> = new Set([
  'return_pending',
  'return_received',
  'return_rejected',
  'return_expired',
  'partially_refunded',
])

type State = Pick<Payment, 'status' | 'details'>

type Asked = {
  /** Plain digits; null for all that is left. */
  readonly amount: string | null
  readonly description: string
}

type Seen = {
  /** The payment when the refund was asked for. */
  readonly before: State
  /** Its states since then, oldest first. */
  readonly since: readonly State[]
  /** What a read shows now. */
  readonly report: PaymentReport
}

/**
 * Whether the refund that a payment shows is the one that was asked for: something has moved since, the payments API names
 * our description, and the totals differ by our amount. Somebody else may refund the same payment meanwhile, so what is
 * not named counts against it.
 */
export function isThisRefund({ amount, description }: Asked, { before, since, report }: Seen): boolean {
  if (!REFUND_STATUSES.has(report.status) || report.refundDescription?.trim() !== description.trim()) return false
  const states = [before, ...since, report]
  const descends = states.slice(1).some((state, index) => hasMoved(states[index] ?? before, state))
  return descends && fitsAmount(amount, before, report)
}

/** A refund was asked for, or has changed the total, which a second part may do without a change of status. */
function hasMoved(earlier: State, later: State): boolean {
  if (REFUND_STATUSES.has(later.status) && later.status !== earlier.status) return true
  return compareDecimals(refundedOf(later), refundedOf(earlier)) > 0
}

/**
 * A total that has not changed yet contradicts nothing while the refund is pending, or came to nothing. The figure may be
 * that of all refunds, or of this one (gap sheet, section 12).
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
