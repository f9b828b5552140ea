import type { MethodRequirements } from './method-field.ts'
import { parseMethodCode } from './method-code.ts'
import type { MethodTraits } from './method-traits.ts'
import { amountProblem, compareDecimals, type Money } from './money.ts'
import type { Problem } from './payment-link-rules.ts'
import type { PaymentDetails } from './payment-report.ts'
import type { PaymentStatus } from './payment-status.ts'

/** What a caller asks for when it asks for a direct payin. */
export type PayinRequest = {
  readonly idempotencyKey: string
  readonly reference: string
  readonly amount: Money
  readonly methodCode: string
  readonly customerName: string
  readonly customerEmail: string
  readonly description?: string | null | undefined
  readonly methodFields?: Readonly<Record<string, unknown>> | null | undefined
  readonly gst: boolean
  readonly ownerId?: string | null | undefined
  readonly site?: string | null | undefined
}

/**
 * Everything that is wrong with a request for a direct payin, field by field; empty when it may be sent. What the method
 * asks for is checked as far as it is known: without its requirements the service itself is the judge.
 * Source: interface document, section 1, rule 3, and gap sheet, sections 8 and 9.
 */
export function payinRequestProblems(request: PayinRequest, requirements: MethodRequirements | null): Problem[] {
  const { amount, description, ownerId } = request
  return present([
    textProblem(request.idempotencyKey, TEXT, ['idempotencyKey']),
    textProblem(request.reference, TEXT, ['reference']),
    problem(amountProblem(amount) ?? limitProblem(amount, requirements), ['amount', 'value']),
    problem(methodProblem(request.methodCode, amount.currency, requirements), ['methodCode']),
    textProblem(request.customerName, TEXT, ['customerName']),
    problem(emailProblem(request.customerEmail), ['customerEmail']),
    description == null ? null : textProblem(description, DESCRIPTION, ['description']),
    ...methodFieldProblems(request.methodFields ?? {}, requirements, ['methodFields']),
    request.gst && amount.currency !== 'AUD' ? problem('must be false outside AUD', ['gst']) : null,
    ownerId == null ? null : textProblem(ownerId, TEXT, ['ownerId']),
  ])
}

export type RefundRequest = { readonly amount?: Money | null | undefined; readonly description: string }

export type RefundProblem =
  | { readonly kind: 'invalid-input'; readonly problems: readonly Problem[] }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }
  | { readonly kind: 'not-supported' }

/** What a refund needs to know of a payment. */
export type Refundable = {
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
}

/**
 * What stands against a refund; null when it may be asked for. A refund of everything that is left has no amount.
 * Source: interface document, section 2.5, and gap sheet, sections 3, 5.5, 12 and 27.
 */
export function refundProblem(
  payment: Refundable,
  request: RefundRequest,
  traits: Pick<MethodTraits, 'refundable'>,
): RefundProblem | null {
  const problems = refundRequestProblems(request, payment.details.currency)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  if (traits.refundable === false) return { kind: 'not-supported' }
  const left = refundableAmount(payment)
  if (!isRefundableStatus(payment) || (left !== null && compareDecimals(left, '0') <= 0))
    return { kind: 'state-conflict', statusRaw: payment.statusRaw }
  if (payment.details.refundable === false) return { kind: 'not-supported' }
  if (request.amount == null || left === null || compareDecimals(request.amount.value, left) <= 0) return null
  return { kind: 'invalid-input', problems: [{ path: ['amount', 'value'], message: `must be at most ${left}` }] }
}

const REFUND_EXPIRY_MS = 10 * 24 * 60 * 60 * 1_000

/** When a refund request lapses, if nothing has become of it: ten days on (interface document, section 3.2). */
export function refundExpiresAt(requestedAt: Date): Date {
  return new Date(requestedAt.getTime() + REFUND_EXPIRY_MS)
}

/** How long a text may be, in characters. */
export type TextRange = { readonly shortest?: number; readonly longest: number }

/** A text for which the service names no length. */
export const TEXT: TextRange = { longest: 255 }

const DESCRIPTION: TextRange = { longest: 500 }
const REFUND_DESCRIPTION: TextRange = { shortest: 5, longest: 500 }

/** Pairs a message with the path of the field; null when there is nothing to say. */
export function problem(message: string | null, path: readonly string[]): Problem | null {
  return message === null ? null : { path, message }
}

/** Leaves out the fields with which nothing is wrong. */
export function present(found: readonly (Problem | null)[]): Problem[] {
  return found.filter((one) => one !== null)
}

/**
 * Checks a text: not blank, no control characters, and of the given length. Spaces around it do not count towards the
 * least length, and a character that takes two code units counts once there and twice towards the greatest: however the
 * service counts, what passes here is within its bounds.
 */
export function textProblem(value: string, range: TextRange, path: readonly string[]): Problem | null {
  const { shortest = 1, longest } = range
  if (value.length > longest) return problem(`must have at most ${longest} characters`, path)
  if (value.trim() === '') return problem('must not be blank', path)
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return problem('must not hold control characters', path)
  return problem(Array.from(value.trim()).length < shortest ? `must have at least ${shortest} characters` : null, path)
}

const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Checks the shape of an e-mail address; null when it has it. */
export function emailProblem(value: string): string | null {
  return value.length <= TEXT.longest && EMAIL.test(value) ? null : 'must be an e-mail address'
}

/**
 * Checks a name of letters, digits and spaces, without a space at either end; null when it is one. Letters of any script
 * pass, with the marks that belong to them. Source: interface document, section 2.3, and gap sheet, section 18.
 */
export function personNameProblem(name: string): string | null {
  if (name.length > TEXT.longest) return `must have at most ${TEXT.longest} characters`
  return /^[\p{L}\p{M}\p{Nd} ]+$/u.test(name) && name.trim() === name
    ? null
    : 'must have letters, digits and spaces only, and no space at either end'
}

/** Checks an amount against a method's limits, which are those of one payment; null when it lies within them. */
export function limitProblem(
  { value, currency }: Money,
  limits: Pick<MethodRequirements, 'currency' | 'minAmount' | 'maxAmount'> | null,
): string | null {
  if (limits === null || limits.currency !== currency) return null
  const { minAmount, maxAmount } = limits
  if (minAmount !== null && compareDecimals(value, minAmount) < 0) return `must be at least ${minAmount}`
  return maxAmount !== null && compareDecimals(value, maxAmount) > 0 ? `must be at most ${maxAmount}` : null
}

/** Checks that a method works in a currency, by its requirements or, without them, by its code; null when it does. */
export function methodProblem(code: string, currency: string, requirements: MethodRequirements | null): string | null {
  if (code.trim() === '' || code.length > 100) return 'must be a method code'
  const works = requirements?.currency ?? parseMethodCode(code).currency
  return works === null || works === currency ? null : `is for ${works}, not for ${currency}`
}

/**
 * Checks the fields that a method asks for: the required ones are there, and each is of its type. Fields that the method
 * does not name, and types that this version does not know, pass: the service does not forbid them.
 */
export function methodFieldProblems(
  given: Readonly<Record<string, unknown>>,
  requirements: Pick<MethodRequirements, 'fields'> | null,
  path: readonly string[],
): (Problem | null)[] {
  return (requirements?.fields ?? []).map(({ name, type, required }) => {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (value == null) return required ? problem('is required', [...path, name]) : null
    if (TYPES.get(type)?.(value) === false) return problem(`must be of type ${type}`, [...path, name])
    return required && typeof value === 'string' && value.trim() === ''
      ? problem('must not be blank', [...path, name])
      : null
  })
}

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => Number.isFinite(value)],
  ['integer', (value) => Number.isSafeInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
])

function refundRequestProblems({ amount, description }: RefundRequest, currency: string | null): Problem[] {
  const foreign = amount != null && currency !== null && amount.currency !== currency
  return present([
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

function isCard({ card, methodRaw }: PaymentDetails): boolean {
  return card !== null || methodRaw === 'card' || (methodRaw !== null && parseMethodCode(methodRaw).kind === 'CARD')
}

/** What can still be given back; null where the service has not said what was paid. */
function refundableAmount({ status, details }: Refundable): string | null {
  const { paid, amount, refunded } = details
  const settled = paid !== null && compareDecimals(paid, '0') > 0 ? paid : amount
  // A refund that came to nothing may still be named: only the service knows whether another one went before it.
  const cameToNothing = status === 'return_rejected' || status === 'return_expired'
  return settled === null || refunded === null || cameToNothing ? settled : difference(settled, refunded)
}

function difference(a: string, b: string): string {
  const scale = Math.max(...[a, b].map((decimal) => decimal.split('.')[1]?.length ?? 0))
  const units = (decimal: string): bigint => {
    const [whole = '0', decimals = ''] = decimal.split('.')
    return BigInt(whole + decimals.padEnd(scale, '0'))
  }
  const left = units(a) - units(b)
  const digits = String(left < 0n ? 0n : left).padStart(scale + 1, '0')
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
