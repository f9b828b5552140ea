import { keyProblem, present, problem, textProblem, type Problem, type TextRange } from '../field-problems.ts'
import { parseMethodCode } from '../methods/method-code.ts'
import type { MethodTraits } from '../methods/method-traits.ts'
import { amountProblem, compareDecimals, subtractDecimals, type Money } from '../money/money.ts'
import type { PaymentDetails } from './payment-report.ts'
import type { PaymentStatus } from './payment-status.ts'

export type RefundCommand = {
  readonly idempotencyKey: string
  readonly amount?: Money | null | undefined
  readonly description: string
}

export type RefundProblem =
  | { readonly kind: 'invalid-input'; readonly problems: readonly Problem[] }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }
  | { readonly kind: 'not-supported' }

/** The fields of a payment that a refund depends on. */
export type Refundable = {
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
  return { kind: 'invalid-input', problems: [{ path: ['amount', 'value'], message: `must be at most ${left}` }] }
}

const REFUND_EXPIRY_MS = 10 * 24 * 60 * 60 * 1_000

/** Returns when a refund request without an outcome expires: after ten days (docs/payments-api.md, section 3.2). */
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
