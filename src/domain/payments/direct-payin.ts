import { tidied } from '../../lib/text.ts'
import {
  emailProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  type TextRange,
  keyProblem,
  normaliseName,
} from '../field-problems.ts'
import {
  type MethodRequirements,
  limitProblem,
  methodFieldProblems,
  methodProblem,
  takesOpenAmount,
  tidiedFields,
} from '../methods/payin-method.ts'
import { type Money, payinAmountProblem } from '../money/money.ts'
import { type PaymentDetails, type PaymentReport, PAID_RANK } from './payment-report.ts'
import { type Decision, decideWebhook, type Payment } from './payment.ts'

/** The request for a payment without a link (docs/payments-api.md, section 4.5), and the id of the payment. */
export type DirectPayin = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** Our correlation id, created before the request was sent: the last segment of the payment's webhook URL. */
  readonly ref: string
  readonly site: string
  readonly ownerId: string | null
  /** The merchant's own reference, such as an order id. */
  readonly reference: string
  /** `OPEN_AMOUNT` if the payer chooses the amount. */
  readonly requestedAmount: Money
  readonly methodCode: string
  /** ISO 8601 instant in UTC. */
  readonly createdAt: string
}

/**
 * Decides what the response to the creation of a payment means. It shows the payment's first state, so if webhooks were applied earlier, it
 * can only lead forward or fill in missing details. Only another currency is a contradiction, which a read settles.
 */
export function decideCreation(state: Payment | null, report: PaymentReport): Decision {
  const decision = decideWebhook(state, report, false)
  if (state === null || otherCurrency(state.details, report.details)) return decision
  if (decision.change !== null && report.status !== null) return decision
  const missing = missingDetails(state, report)
  if (missing === null) return { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
  const { statusRaw, status } = state
  const details = { ...state.details, ...missing }
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYMENT_DETAILS_CHANGED', statusRaw, status, details },
    provisional: null,
    confirm: false,
  }
}

/** Details that do not depend on the status. The other details of an earlier status may be outdated. */
const LASTING: readonly (keyof PaymentDetails)[] = [
  'currency',
  'amount',
  'total',
  'gst',
  'gstAmount',
  'reference',
  'methodRaw',
  'card',
  'instructions',
  'expiresAt',
  'createdAt',
]

function missingDetails(state: Payment, report: PaymentReport): Partial<PaymentDetails> | null {
  const all = Object.keys(report.details) as (keyof PaymentDetails)[]
  const candidates = state.statusRaw === report.statusRaw ? all : LASTING
  const missing = candidates.filter((key) => state.details[key] === null && report.details[key] !== null)
  return missing.length === 0 ? null : Object.fromEntries(missing.map((key) => [key, report.details[key]]))
}

function otherCurrency(known: PaymentDetails, said: PaymentDetails): boolean {
  return known.currency !== null && said.currency !== null && known.currency !== said.currency
}

/**
 * Returns whether an entry of a list may be used instead of a read of this payment. After a refund or a dispute the details matter, which
 * entries may not contain; and a doubt is settled only by a read of the payment (gap sheet, sections 5.3 and 10).
 */
export function isListable({ rank, status, provisional }: Pick<Payment, 'rank' | 'status' | 'provisional'>): boolean {
  return !provisional && status !== null && rank <= PAID_RANK
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

/** Returns the request in the form in which it is checked and sent: its texts in composed letters, without superfluous spaces. */
export function normalisePayinRequest(request: PayinRequest): PayinRequest {
  const { methodFields } = request
  return {
    ...request,
    reference: tidied(request.reference),
    customerName: normaliseName(request.customerName),
    customerEmail: tidied(request.customerEmail),
    methodFields: methodFields && tidiedFields(methodFields),
  }
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
    problem(payinAmountProblem(amount) ?? limitProblem(amount, requirements), ['amount', 'value']),
    differs ? problem(`must be that of the amount, ${amount.currency}`, ['currency']) : null,
  ]
}

const DESCRIPTION: TextRange = { longest: 500 }
/** Gap sheet, section 9. */
const SHORTEST_EXPIRY_MS = 900_000
