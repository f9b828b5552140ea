import { tidied } from '../../lib/text.ts'
import {
  normaliseName,
  normalisePhone,
  withoutSpaces,
  emailProblem,
  personNameProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  keyProblem,
} from '../field-problems.ts'
import { limitProblem, methodFieldProblems, methodProblem, NO_FLAGS, tidiedFields } from '../methods/payin-method.ts'
import { amountProblem, sumDecimals } from '../money/money.ts'
import type { PayoutBank, PayoutReport, PayoutMethod, PayoutMethodRequirements } from './payout-report.ts'

/** A request for a batch of payouts. */
export type PayoutRequest = {
  readonly idempotencyKey: string
  readonly currency: string
  readonly methodCode: string
  readonly description: string
  readonly reference?: string | null | undefined
  readonly scheduledAt?: Date | null | undefined
  /** Whether it is tried again while funds are missing; of v1 payouts alone. */
  readonly retry?: boolean | null | undefined
  readonly transactions: readonly PayoutTransactionRequest[]
  readonly site?: string | null | undefined
}

export type PayoutTransactionRequest = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  /** Plain digits, in the currency of the batch. */
  readonly amount: string
  readonly reference?: string | null | undefined
  readonly methodFields: Readonly<Record<string, unknown>>
}

/** Returns the report about a payout that was just requested, with what it omits taken from the request. */
export function reportAsRequested(report: PayoutReport, request: PayoutRequest): PayoutReport {
  return {
    ...report,
    currency: report.currency ?? request.currency,
    totalAmount: report.totalAmount ?? sumDecimals(request.transactions.map(({ amount }) => amount)),
    methodCode: report.methodCode ?? request.methodCode,
    description: report.description ?? request.description,
    reference: report.reference ?? request.reference ?? null,
    scheduledAt: report.scheduledAt ?? request.scheduledAt?.toISOString() ?? null,
  }
}

/** Returns the request in the form in which it is checked and sent: its texts in composed letters, without surrounding spaces. */
export function normalisePayoutRequest(request: PayoutRequest): PayoutRequest {
  const transactions = request.transactions.map((transaction) => ({
    ...transaction,
    firstName: normaliseName(transaction.firstName),
    lastName: normaliseName(transaction.lastName),
    email: tidied(transaction.email),
    reference: transaction.reference && tidied(transaction.reference),
    methodFields: tidiedFields(transaction.methodFields),
  }))
  return {
    ...request,
    reference: request.reference && tidied(request.reference),
    transactions: isV1(request) ? transactions.map(normaliseV1Transaction) : transactions,
  }
}

/** Returns whether a payout is asked for by the v1 method. */
export function isV1({ methodCode }: Pick<PayoutRequest, 'methodCode'>): boolean {
  return methodCode === V1_METHOD_CODE
}

/** The payments API documents a maximum of 90 in one place of v2 and none in the other; 90 is safe in both. */
const DESCRIPTION = { shortest: 5, longest: 90 }
const V1_DESCRIPTION = { shortest: 5, longest: 140 }

/** Our own limit: the payments API documents none, and one request must be completed in time. */
export const MOST_TRANSACTIONS = 500

/**
 * Returns all problems of a request for payouts, field by field; empty if it may be sent. The requirements of the method are checked as far
 * as they are known. Source: gap sheet, sections 17 and 18.
 */
export function payoutRequestProblems(
  request: PayoutRequest,
  requirements: PayoutMethodRequirements | null,
  now: Date,
): Problem[] {
  const { reference, scheduledAt, transactions } = request
  return present([
    keyProblem(request.idempotencyKey),
    problem(methodProblem(request.methodCode, request.currency, requirements), ['methodCode']),
    textProblem(request.description, isV1(request) ? V1_DESCRIPTION : DESCRIPTION, ['description']),
    reference == null ? null : textProblem(reference, TEXT, ['reference']),
    scheduledAt == null || scheduledAt.getTime() > now.getTime()
      ? null
      : problem('must lie in the future', ['scheduledAt']),
    request.retry == null || isV1(request) ? null : problem(`is for ${V1_METHOD_CODE} alone`, ['retry']),
    ...(transactions.length === 0 || transactions.length > MOST_TRANSACTIONS
      ? [problem(`must have 1 to ${MOST_TRANSACTIONS} entries`, ['transactions'])]
      : transactions.flatMap((one, index) => transactionProblems(request, one, { index, requirements }))),
  ])
}

function transactionProblems(
  request: PayoutRequest,
  transaction: PayoutTransactionRequest,
  { index, requirements }: { index: number; requirements: PayoutMethodRequirements | null },
): (Problem | null)[] {
  const path = ['transactions', String(index)]
  const amount = { value: transaction.amount, currency: request.currency }
  const { reference } = transaction
  const others = [
    problem(emailProblem(transaction.email), [...path, 'email']),
    problem(amountProblem(amount) ?? limitProblem(amount, requirements), [...path, 'amount']),
  ]
  if (isV1(request)) return [...others, ...v1TransactionProblems(transaction, path)]
  return [
    problem(personNameProblem(transaction.firstName), [...path, 'firstName']),
    problem(personNameProblem(transaction.lastName), [...path, 'lastName']),
    ...others,
    reference == null ? null : textProblem(reference, TEXT, [...path, 'reference']),
    ...methodFieldProblems(transaction.methodFields, requirements, [...path, 'methodFields']),
    ...lostZeros(transaction.methodFields, requirements?.banks ?? [], [...path, 'methodFields']),
  ]
}

/** Returns the problems of codes of a known length that lost their leading zeros, as in a spreadsheet program. */
function lostZeros(given: MethodFields, banks: readonly PayoutBank[], path: readonly string[]): (Problem | null)[] {
  const { bsb, bank_code: bank } = given
  const isKnown = banks.some(({ code }) => code === bank)
  const isLost = !isKnown && banks.some(({ code }) => /^0+/.test(code) && code.replace(/^0+/, '') === String(bank))
  return [
    problem(typeof bsb === 'string' && /^\d{1,5}$/.test(bsb) ? BSB_DIGITS : null, [...path, 'bsb']),
    problem(isLost ? 'must have its leading zeros' : null, [...path, 'bank_code']),
  ]
}

const BSB_DIGITS = 'must have six digits, such as "062-000"'

/** The code under which v1 payouts in AUD are chosen: ours, in the form of the payments API's codes, of which it lists none for v1. */
export const V1_METHOD_CODE = 'au_bank_v1_aud'

export const V1_CURRENCY = 'AUD'

export const V1_METHOD: PayoutMethod = {
  code: V1_METHOD_CODE,
  currency: V1_CURRENCY,
  countryCode: 'AU',
  kind: 'BANK_TRANSFER',
  kindRaw: 'bank',
}

/** The names that the documents leave open in the body of a v1 payout (gap sheet, section 20). */
export type V1PayoutNames = {
  /** The list of payees. */
  readonly transactions: string
  /** The webhook URL and its Authorization header. */
  readonly notification: string
  /** The merchant's own id of the batch. */
  readonly externalId: string
}

/** The names of v2, whose record the one of v1 is an extension of. */
export const V1_PAYOUT_NAMES: V1PayoutNames = {
  transactions: 'payout_transaction_details',
  notification: 'webhook_notification',
  externalId: 'external_id',
}

const field = (name: string, label: string) => ({
  name,
  type: 'string',
  required: false,
  label,
  raw: `string:${label}`,
})

/** The fields of a payee: either `payid`, or `bsb` and `account_number` (gap sheet, section 20). No limits of an amount are documented. */
export const V1_REQUIREMENTS: PayoutMethodRequirements = {
  ...NO_FLAGS,
  code: V1_METHOD_CODE,
  currency: V1_CURRENCY,
  description: 'Australian bank account or PayID (v1)',
  minAmount: null,
  maxAmount: null,
  networks: null,
  symbol: '$',
  logo: null,
  fields: [
    field('payid', 'PayID, instead of an account'),
    field('bsb', 'Bank-state-branch number'),
    field('account_number', 'Account number'),
    field('address', 'Address of the payee'),
  ],
  banks: [],
}

const ID = /^v1-([1-9]\d{0,17})$/

/** Returns our id of a v1 payout. Its number is in it, because the payments API reads a v1 payout by its number alone. */
export function v1PayoutId(number: string): string {
  return `v1-${number}`
}

/** Returns the payments API's number of a v1 payout; null for an id of another payout. */
export function v1PayoutNumber(id: string): string | null {
  return ID.exec(id)?.[1] ?? null
}

type MethodFields = PayoutTransactionRequest['methodFields']

/** Returns the one name of a payee that a v1 payout takes. */
export function v1PayeeName({ firstName, lastName }: Pick<PayoutTransactionRequest, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.trim()
}

/**
 * Returns a payee in the form in which it is checked and sent: an apostrophe as the documents write it, numbers without spaces, a PayID as the
 * payments API writes it, which is an e-mail address in lower case or a phone number with a hyphen after its country code.
 */
function normaliseV1Transaction(transaction: PayoutTransactionRequest): PayoutTransactionRequest {
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
function v1TransactionProblems(transaction: PayoutTransactionRequest, path: readonly string[]): (Problem | null)[] {
  const { reference, methodFields } = transaction
  const at = (name: string) => [...path, 'methodFields', name]
  const unknown = Object.keys(methodFields).filter((name) => !KNOWN.has(name))
  return [
    problem(nameProblem(v1PayeeName(transaction)), [...path, 'firstName']),
    reference == null ? null : problem('is not taken by this method, only by the batch', [...path, 'reference']),
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
    problem(shapeProblem(given['bsb'], /^\d{3}-?\d{3}$/, BSB_DIGITS), at('bsb')),
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
  if (value.includes('@')) return value.toLowerCase()
  const digits = withoutSpaces(value)
  if (ORGANISATION.test(digits)) return digits
  // First, because the hyphen of an Australian number may be after another digit.
  const phone = normalisePhone(digits, '-')
  return !PHONE.test(phone) && PHONE.test(digits) ? digits : phone
}

const NORMALISED: ReadonlyMap<string, (value: string) => string> = new Map([
  ['payid', normalisePayId],
  ['bsb', withoutSpaces],
  ['account_number', withoutSpaces],
])

const KNOWN: ReadonlySet<string> = new Set(V1_REQUIREMENTS.fields.map(({ name }) => name))
