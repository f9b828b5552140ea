import { CsvError, type CsvRecord, parseCsv } from 'payments-subgraph-lib/csv'
import { ExactNumber } from 'payments-subgraph-lib/exact-json'
import { withTarget } from '../customers/sandbox-customer.ts'
import { checkParams, OPEN_AMOUNT_METHOD, recordedAmount } from '../methods/methods.ts'
import { parseMoment } from '../state/clock.ts'
import type { PayeeRequest, PayoutRequest } from '../state/payout.ts'
import type { SandboxSite } from '../state/sandbox-store.ts'
import { decimal, type Decimal } from '../values/decimal.ts'
import {
  BSB,
  MOBILE_NUMBER,
  Fields,
  type JsonObject,
  type Problems,
  limitProblem,
  optionalPositiveNumber,
  positiveNumber,
  readEmail,
  requiredTarget,
  sizedText,
  isEmail,
  optionalSizedText,
} from '../values/request-fields.ts'
import { payoutMethodsOf, type PayoutMethod } from './sandbox-payout.ts'

/** Validates the body of a payout creation (gap sheet, section 18). */
export function readPayout(
  body: JsonObject,
  site: SandboxSite,
  now: Date,
): { request: PayoutRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const method = readMethod(fields, site)
  const request: PayoutRequest = {
    currency: method?.currency ?? '',
    methodCode: method?.code ?? '',
    description: sizedText(fields, 'description', { min: 5, max: 90 }),
    externalId: fields.optionalText('external_id') ?? null,
    scheduledAt: readSchedule(fields, now),
    target: requiredTarget(fields, 'webhook_notification'),
    payees: fields.requiredObjects('payout_transaction_details').map((payee) => readPayee(payee, method)),
  }
  return fields.isClean ? { request } : { problems: fields.problems }
}

const ZERO = decimal('0')
/** Includes combining marks, which some scripts need for their letters. */
const NAME = /^[\p{L}\p{M}\p{N}]+(?: +[\p{L}\p{M}\p{N}]+)*$/u

function readMethod(fields: Fields, site: SandboxSite): PayoutMethod | undefined {
  const currency = fields.text('currency')
  const code = fields.text('payout_method_name')
  if (currency !== '' && !site.currencies.includes(currency)) fields.fail('currency', 'is not available for this site')
  const method = payoutMethodsOf(site.currencies).find((candidate) => candidate.code === code)
  if (method === undefined) fields.fail('payout_method_name', 'is not available for this site')
  else if (site.currencies.includes(currency) && method.currency !== currency)
    fields.fail('payout_method_name', 'is of another currency')
  return method
}

/** Returns the time of a scheduled batch, which lies in the future; undefined without one. */
function readSchedule(fields: Fields, now: Date): Date | undefined {
  const text = fields.optionalText('scheduled_at')
  if (text === undefined) return undefined
  const scheduledAt = parseMoment(text)
  if (scheduledAt === undefined) fields.fail('scheduled_at', 'is not a date')
  else if (scheduledAt <= now) fields.fail('scheduled_at', 'must be in the future')
  return scheduledAt
}

function readPayee(fields: Fields, method: PayoutMethod | undefined): PayeeRequest {
  const names = [readName(fields, 'first_name'), readName(fields, 'last_name')]
  readEmail(fields)
  return {
    payee: names.join(' '),
    amount: recordedAmount(readAmount(fields, method), method?.currency ?? ''),
    externalId: fields.optionalText('external_id') ?? null,
    params: readParams(fields, method),
  }
}

function readName(fields: Fields, name: string): string {
  const text = fields.text(name)
  if (text !== '' && !NAME.test(text)) fields.fail(name, 'has other characters than letters, digits and inner spaces')
  return text
}

function readAmount(fields: Fields, method: PayoutMethod | undefined): Decimal {
  const isOpen = method?.code === OPEN_AMOUNT_METHOD
  const amount = isOpen ? optionalPositiveNumber(fields, 'amount') : positiveNumber(fields, 'amount')
  const problem = amount && method && limitProblem(amount, method)
  if (problem !== undefined) fields.fail('amount', problem)
  return amount ?? ZERO
}

/** Values may be numbers (gap sheet, section 19). */
function readParams(fields: Fields, method: PayoutMethod | undefined): PayeeRequest['params'] {
  const params = checkParams(fields, 'payout_method_params', {
    descriptors: method?.descriptors ?? {},
    shapes: { bsb: BSB, ...(method?.code.includes('mobile_money') ? { account_number: MOBILE_NUMBER } : {}) },
    takesNumbers: true,
  })
  const code = params['bank_code']
  const isKnown = method === undefined || method.banks.some((bank) => bank.code === textOf(code))
  if (method?.descriptors['bank_code'] !== undefined && code !== undefined && !isKnown)
    fields.fail('payout_method_params.bank_code', 'is not one of the banks')
  return params
}

/** Returns the original digits of a number as text. */
function textOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value
}

/** The currency of v1 payouts. */
export const V1_CURRENCY = 'AUD'

export type V1PayoutRequest = { readonly request: PayoutRequest; readonly isRetry: boolean }

/**
 * Validates the body of a v1 payout (gap sheet, section 20). The names of the list of payees, of the webhook and of the merchant's id are those
 * of v2: no page shows them.
 */
export function readV1Payout(body: JsonObject, site: SandboxSite, now: Date): V1PayoutRequest | { problems: Problems } {
  const fields = new Fields(body)
  if (!site.currencies.includes(V1_CURRENCY)) fields.fail('currency', 'is not available for this site')
  const request: PayoutRequest = {
    currency: V1_CURRENCY,
    methodCode: 'v1',
    description: sizedText(fields, 'description', { min: 5, max: 140 }),
    externalId: fields.optionalText('external_id') ?? null,
    scheduledAt: readSchedule(fields, now),
    target: requiredTarget(fields, 'webhook_notification'),
    payees: fields.requiredObjects('payout_transaction_details').map(readV1Payee),
  }
  const isRetry = fields.optional('is_retry') ?? false
  if (typeof isRetry !== 'boolean') fields.fail('is_retry', 'must be a boolean')
  return fields.isClean ? { request, isRetry: isRetry === true } : { problems: fields.problems }
}

const V1_NAME = /^[\p{L}\p{M}\p{N}']+(?: +[\p{L}\p{M}\p{N}']+)*$/u

function readV1Payee(fields: Fields): PayeeRequest {
  const payee = fields.text('payee')
  if (payee !== '' && !V1_NAME.test(payee))
    fields.fail('payee', 'has other characters than letters, digits, apostrophes and inner spaces')
  const email = readEmail(fields)
  const address = optionalSizedText(fields, 'address', 255)
  return {
    payee,
    amount: positiveNumber(fields, 'amount') ?? ZERO,
    externalId: null,
    params: { email, ...(address === undefined ? {} : { address }), ...readAccount(fields) },
  }
}

/** Either a PayID, or a bank-state-branch number and an account number. */
function readAccount(fields: Fields): PayeeRequest['params'] {
  const payId = fields.optionalText('payid')
  if (payId === undefined) {
    const account = { bsb: fields.text('bsb'), account_number: fields.text('account_number') }
    if (account.bsb !== '' && !BSB.test(account.bsb)) fields.fail('bsb', 'is not a bank-state-branch number')
    if (account.account_number !== '' && !/^\d+$/.test(account.account_number))
      fields.fail('account_number', 'has other characters than digits')
    return account
  }
  if (fields.optional('bsb') !== undefined || fields.optional('account_number') !== undefined)
    fields.fail('payid', 'must not be given together with an account')
  if (!isPayId(payId)) fields.fail('payid', 'is not a PayID')
  return { payid: payId }
}

/** An e-mail address in lower case, a phone number with a hyphen after its country code, or the number of an organisation. */
function isPayId(text: string): boolean {
  return (
    (isEmail(text) && text === text.toLowerCase()) ||
    /^\+\d{1,3}-\d{4,14}$/.test(text) ||
    /^(?:\d{9}|\d{11})$/.test(text)
  )
}

/**
 * Returns the body that a multipart form with a file of payees stands for; undefined if the file is no CSV with a header. Its columns are the fields
 * of a payee: no page names them (gap sheet, section 20). Spreadsheets (.xlsx) are not read.
 */
export function bodyOfFile(texts: Readonly<Record<string, string>>, file: Buffer): JsonObject | undefined {
  try {
    const [header, ...lines] = parseCsv(new TextDecoder('utf-8', { fatal: true }).decode(file), MOST_LINES)
    if (header === undefined) return undefined
    const details = lines.map((line) => payeeOf(header, line))
    const { is_retry: isRetry, ...rest } = withTarget(texts)
    const retry =
      isRetry === undefined ? {} : { is_retry: isRetry === 'true' ? true : isRetry === 'false' ? false : isRetry }
    return { ...rest, ...retry, payout_transaction_details: details }
  } catch (error) {
    if (error instanceof CsvError || error instanceof TypeError) return undefined
    throw error
  }
}

const MOST_LINES = 10_001

function payeeOf({ cells: names }: CsvRecord, { cells }: CsvRecord): JsonObject {
  const given = names.flatMap((name, index) => {
    const text = cells[index]?.trim() ?? ''
    return text === '' ? [] : [[name.trim(), text] as const]
  })
  return Object.fromEntries(
    given.map(([name, text]) => [name, name === 'amount' && NUMBER.test(text) ? new ExactNumber(text) : text]),
  )
}

/** A number as JSON writes it. */
const NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
