import { normalisePhone, withoutSpaces } from '../contacts/normalise-contact.ts'
import { emailProblem, problem, type Problem, TEXT, textProblem } from '../field-problems.ts'
import type { PayoutTransactionRequest } from './payout-rules.ts'
import { V1_REQUIREMENTS } from './v1-payout.ts'

type MethodFields = PayoutTransactionRequest['methodFields']

/** Returns the one name of a payee that a v1 payout takes. */
export function v1PayeeName({ firstName, lastName }: Pick<PayoutTransactionRequest, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.trim()
}

/**
 * Returns a payee in the form in which it is checked and sent: an apostrophe as the documents write it, numbers without spaces, a PayID as the
 * payments API writes it, which is an e-mail address in lower case or a phone number with a hyphen after its country code.
 */
export function normaliseV1Transaction(transaction: PayoutTransactionRequest): PayoutTransactionRequest {
  const texts = Object.entries(transaction.methodFields).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? (NORMALISED.get(name)?.(value) ?? value) : value
    return text == null || text === '' ? [] : [[name, text] as const]
  })
  return {
    ...transaction,
    firstName: withApostrophe(transaction.firstName),
    lastName: withApostrophe(transaction.lastName),
    methodFields: Object.fromEntries(texts),
  }
}

/** Returns all problems of a payee of a v1 payout, except those of its e-mail address and amount. Source: gap sheet, section 20. */
export function v1TransactionProblems(
  transaction: PayoutTransactionRequest,
  path: readonly string[],
): (Problem | null)[] {
  const { externalId, methodFields } = transaction
  const at = (name: string) => [...path, 'methodFields', name]
  const unknown = Object.keys(methodFields).filter((name) => !KNOWN.has(name))
  return [
    problem(nameProblem(v1PayeeName(transaction)), [...path, 'firstName']),
    externalId == null ? null : problem('is not taken by this method, only by the batch', [...path, 'externalId']),
    ...unknown.map((name) => problem('is no field of this method', at(name))),
    ...targetProblems(methodFields, at),
    textFieldProblem(methodFields, 'address', at),
  ]
}

function targetProblems(given: MethodFields, at: (name: string) => readonly string[]): (Problem | null)[] {
  const [hasPayId, hasBsb, hasAccount] = [has(given, 'payid'), has(given, 'bsb'), has(given, 'account_number')]
  if (hasPayId && (hasBsb || hasAccount)) return [problem('must not be given together with an account', at('payid'))]
  if (hasPayId) return [problem(payIdProblem(given['payid']), at('payid'))]
  if (!hasBsb && !hasAccount) return [problem('is required, or bsb and account_number', at('payid'))]
  return [
    problem(shapeProblem(given['bsb'], /^\d{3}-?\d{3}$/, 'must have six digits, such as "062-000"'), at('bsb')),
    problem(shapeProblem(given['account_number'], /^\d{1,20}$/, 'must have 1 to 20 digits'), at('account_number')),
  ]
}

/** Letters, digits, spaces and apostrophes; no combining mark without a letter. */
const NAME = /^(?!\p{M})[\p{L}\p{M}\p{Nd} ']+$/u

function nameProblem(name: string): string | null {
  if (name.length > TEXT.longest) return `must have at most ${TEXT.longest} characters`
  return NAME.test(name) ? null : 'must have letters, digits, spaces and apostrophes only'
}

/** A phone number as the payments API writes it, with a hyphen after the country code. */
const PHONE = /^\+(?=(?:-?\d){7,15}$)[1-9]\d{0,2}-\d+$/
/** An ABN, or a shorter number of an organisation. */
const ORGANISATION = /^(?:\d{9}|\d{11})$/

function payIdProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be of type string'
  if (isStrippedPhone(value)) return 'must be an ABN, or a phone number with its first zero or its "+"'
  if (PHONE.test(value) || ORGANISATION.test(value)) return null
  if (value.startsWith('+'))
    return 'must be a phone number with a hyphen after its country code, such as "+61-412345678"'
  return emailProblem(value) === null
    ? null
    : 'must be an e-mail address, a phone number such as "+61-412345678" or an ABN'
}

/**
 * Returns whether a number has the form of an Australian mobile number of which a spreadsheet program dropped the first zero or the `+`: it would
 * be paid to an organisation. No ACN begins with 4; an ABN that begins with 614 is told by its check digits.
 */
function isStrippedPhone(value: string): boolean {
  return /^4\d{8}$/.test(value) || (/^614\d{8}$/.test(value) && !isAbn(value))
}

const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/** Checks the check digits of an ABN: the weighted sum of its digits, the first one less one, is divisible by 89. */
function isAbn(digits: string): boolean {
  const sum = ABN_WEIGHTS.reduce((total, weight, index) => total + weight * Number(digits[index]), -10)
  return sum % 89 === 0
}

function shapeProblem(value: unknown, shape: RegExp, message: string): string | null {
  if (value === undefined) return 'is required'
  return typeof value === 'string' && shape.test(value) ? null : message
}

function textFieldProblem(given: MethodFields, name: string, at: (name: string) => readonly string[]): Problem | null {
  if (!has(given, name)) return null
  const value = given[name]
  return typeof value === 'string' ? textProblem(value, TEXT, at(name)) : problem('must be of type string', at(name))
}

function has(given: MethodFields, name: string): boolean {
  return Object.hasOwn(given, name)
}

function withApostrophe(name: string): string {
  return name.replaceAll('’', "'")
}

/** An international number of another country than Australia must have its hyphen already: nothing else tells where its country code ends. */
function normalisePayId(value: string): string {
  const trimmed = value.trim()
  if (trimmed.includes('@')) return trimmed.toLowerCase()
  const digits = withoutSpaces(trimmed)
  if (ORGANISATION.test(digits)) return digits
  // First, because the hyphen of an Australian number may be after another digit.
  const phone = normalisePhone(trimmed, '-')
  return !PHONE.test(phone) && PHONE.test(trimmed) ? trimmed : phone
}

const NORMALISED: ReadonlyMap<string, (value: string) => string> = new Map([
  ['payid', normalisePayId],
  ['bsb', withoutSpaces],
  ['account_number', withoutSpaces],
  ['address', (value) => value.trim()],
])

const KNOWN: ReadonlySet<string> = new Set(V1_REQUIREMENTS.fields.map(({ name }) => name))
