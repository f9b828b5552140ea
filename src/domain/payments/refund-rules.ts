import { keyProblem, present, problem, textProblem, type Problem, type TextRange } from '../field-problems.ts'
import { parseMethodCode, type MethodTraits } from '../methods/payin-method.ts'
import {
  amountProblem,
  compareDecimals,
  exponentOf,
  type Money,
  subtractDecimals,
  withDecimals,
} from '../money/money.ts'
import type { PaymentDetails, PaymentStatus, PaymentReport } from './payment-report.ts'
import type { Payment } from './payment.ts'

export type RefundCommand = {
  readonly idempotencyKey: string
  readonly amount?: Money | null | undefined
  readonly description: string
}

type RefundProblem =
  | { readonly kind: 'invalid-input'; readonly problems: readonly Problem[] }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }
  | { readonly kind: 'not-supported' }

/** The fields of a payment that a refund depends on. */
type Refundable = {
  readonly status: PaymentStatus | null
  readonly details: Pick<PaymentDetails, 'amount' | 'paid' | 'refunded' | 'refundable' | 'methodRaw'> & {
    readonly card: object | null
  }
}

/** Why a payment takes no refund now: its status, nothing is left of it, or its method. */
export type RefundBar = 'status' | 'nothing-left' | 'method'

/** Returns why a payment takes no refund now; null if it takes one. */
export function refundBar(payment: Refundable, traits: Pick<MethodTraits, 'refundable'>): RefundBar | null {
  if (traits.refundable === false) return 'method'
  if (!isRefundableStatus(payment)) return 'status'
  const left = refundableAmount(payment)
  if (left !== null && compareDecimals(left, '0') <= 0) return 'nothing-left'
  return payment.details.refundable === false ? 'method' : null
}

/**
 * Returns the problem of a refund request; null if it may be sent. A refund of the whole remaining amount has no amount. Source:
 * payments-api.md, section 2.5, and gap sheet, sections 3, 5.5, 12 and 27.
 */
export function refundProblem(
  payment: Refundable & { readonly statusRaw: string; readonly details: Pick<PaymentDetails, 'currency'> },
  request: RefundCommand,
  traits: Pick<MethodTraits, 'refundable'>,
): RefundProblem | null {
  const problems = refundRequestProblems(request, payment.details.currency)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const bar = refundBar(payment, traits)
  if (bar !== null)
    return bar === 'method' ? { kind: 'not-supported' } : { kind: 'state-conflict', statusRaw: payment.statusRaw }
  const left = refundableAmount(payment)
  if (request.amount == null || left === null || compareDecimals(request.amount.value, left) <= 0) return null
  const most = withDecimals(left, exponentOf(request.amount.currency))
  return { kind: 'invalid-input', problems: [{ path: ['amount', 'value'], message: `must be at most ${most}` }] }
}

const REFUND_EXPIRY_MS = 10 * 24 * 60 * 60 * 1_000

/** Returns when a refund request without an outcome expires: after ten days (docs/payments-api.md, section 8). */
export function refundExpiresAt(requestedAt: Date): Date {
  return new Date(requestedAt.getTime() + REFUND_EXPIRY_MS)
}

const REFUND_DESCRIPTION: TextRange = { shortest: 5, longest: 500 }

function refundRequestProblems(
  { idempotencyKey, amount, description }: RefundCommand,
  currency: string | null,
): Problem[] {
  const foreign = amount != null && currency !== null && amount.currency !== currency
  return present([
    keyProblem(idempotencyKey),
    amount == null ? null : problem(amountProblem(amount), ['amount', 'value']),
    foreign ? problem(`must be ${currency}, the currency of the payment`, ['amount', 'currency']) : null,
    textProblem(description, REFUND_DESCRIPTION, ['description']),
  ])
}

const REFUNDABLE: ReadonlySet<PaymentStatus | null> = new Set([
  'received',
  'partially_refunded',
  'return_rejected',
  'return_expired',
])

function isRefundableStatus({ status, details }: Refundable): boolean {
  return REFUNDABLE.has(status) || (status === 'waiting' && isCard(details))
}

function isCard({ card, methodRaw }: Refundable['details']): boolean {
  return card !== null || methodRaw === 'card' || (methodRaw !== null && parseMethodCode(methodRaw).kind === 'CARD')
}

/**
 * Returns the amount that can still be refunded; null if the payments API has reported neither the paid nor the requested amount. Zero is
 * neither: it is the amount of a payin whose payer chooses it, until another is reported.
 */
export function refundableAmount({ status, details }: Refundable): string | null {
  const { refunded } = details
  const settled =
    [details.paid, details.amount].find((value) => value !== null && compareDecimals(value, '0') > 0) ?? null
  // The total may still include a refund that was rejected or expired, and only the payments API knows whether another one preceded it:
  // nothing is subtracted.
  const cameToNothing = status === 'return_rejected' || status === 'return_expired'
  return settled === null || refunded === null || cameToNothing ? settled : subtractDecimals(settled, refunded)
}

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
