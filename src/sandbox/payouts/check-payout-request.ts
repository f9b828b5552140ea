import { checkParams } from '../methods/method-params.ts'
import { OPEN_AMOUNT_METHOD } from '../methods/methods-v2.ts'
import { recordedAmount } from '../methods/methods.ts'
import { parseMoment } from '../state/clock.ts'
import type { SandboxSite } from '../state/sandbox-store.ts'
import { decimal, type Decimal } from '../values/decimal.ts'
import { BSB, MOBILE_NUMBER } from '../values/object-shapes.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  limitProblem,
  optionalPositiveNumber,
  positiveNumber,
  readEmail,
  requiredTarget,
  sizedText,
} from '../values/request-fields.ts'
import { payoutMethodsOf, type PayoutMethod } from './payout-methods.ts'
import type { PayeeRequest, PayoutRequest } from './sandbox-payout.ts'

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
export function readSchedule(fields: Fields, now: Date): Date | undefined {
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
