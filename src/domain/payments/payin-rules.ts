import {
  emailProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  type TextRange,
  keyProblem,
} from '../field-problems.ts'
import { type MethodRequirements, limitProblem, methodFieldProblems, methodProblem } from '../methods/method-rules.ts'
import { takesOpenAmount } from '../methods/payin-method.ts'
import { amountProblem, type Money } from '../money/money.ts'

/** A request for a direct payin. */
export type PayinRequest = {
  readonly idempotencyKey: string
  readonly reference: string
  /** Null where the payer chooses the amount. */
  readonly amount?: Money | null | undefined
  /** Required without an amount. */
  readonly currency?: string | null | undefined
  readonly methodCode: string
  readonly customerName: string
  readonly customerEmail: string
  readonly description?: string | null | undefined
  readonly methodFields?: Readonly<Record<string, unknown>> | null | undefined
  readonly gst: boolean
  readonly expiresAt?: Date | null | undefined
  readonly ownerId?: string | null | undefined
  readonly site?: string | null | undefined
  readonly severalPayments?: boolean | null | undefined
}

/** Returns the currency of a request; empty if it names none. */
export function payinCurrency({ amount, currency }: Pick<PayinRequest, 'amount' | 'currency'>): string {
  return amount?.currency ?? currency ?? ''
}

/**
 * Returns all problems of a request for a direct payin, field by field; empty if it may be sent. The requirements of the method are checked
 * as far as they are known; otherwise the payments API checks them. Source: payments-api.md, section 1, rule 3, and gap sheet, sections 8
 * and 9.
 */
export function payinRequestProblems(request: PayinRequest, requirements: MethodRequirements | null): Problem[] {
  const { description, ownerId } = request
  const currency = payinCurrency(request)
  return present([
    keyProblem(request.idempotencyKey),
    textProblem(request.reference, TEXT, ['reference']),
    ...amountProblems(request, requirements),
    problem(methodProblem(request.methodCode, currency, requirements), ['methodCode']),
    textProblem(request.customerName, TEXT, ['customerName']),
    problem(emailProblem(request.customerEmail), ['customerEmail']),
    description == null ? null : textProblem(description, DESCRIPTION, ['description']),
    ...methodFieldProblems(request.methodFields ?? {}, requirements, ['methodFields']),
    request.gst && currency !== 'AUD' ? problem('must be false outside AUD', ['gst']) : null,
    ownerId == null ? null : textProblem(ownerId, TEXT, ['ownerId']),
  ])
}

/** Returns the problems of the time at which a payin is to expire. Not for a repeated request, whose time may have passed since. */
export function payinExpiryProblems({ expiresAt }: PayinRequest, now: Date): Problem[] {
  if (expiresAt == null || expiresAt.getTime() - now.getTime() >= SHORTEST_EXPIRY_MS) return []
  return [{ path: ['expiresAt'], message: 'must be at least 15 minutes ahead' }]
}

function amountProblems(
  { amount, currency, methodCode }: PayinRequest,
  requirements: MethodRequirements | null,
): (Problem | null)[] {
  if (amount == null) return [takesOpenAmount(methodCode) ? null : problem('is required for this method', ['amount'])]
  const differs = currency != null && currency !== amount.currency
  return [
    problem(amountProblem(amount) ?? limitProblem(amount, requirements), ['amount', 'value']),
    differs ? problem(`must be that of the amount, ${amount.currency}`, ['currency']) : null,
  ]
}

const DESCRIPTION: TextRange = { longest: 500 }
/** Gap sheet, section 9. */
const SHORTEST_EXPIRY_MS = 900_000
