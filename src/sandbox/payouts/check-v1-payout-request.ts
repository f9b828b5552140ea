import type { SandboxSite } from '../state/sandbox-store.ts'
import { decimal } from '../values/decimal.ts'
import { BSB } from '../values/object-shapes.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  isEmail,
  optionalSizedText,
  positiveNumber,
  readEmail,
  requiredTarget,
  sizedText,
} from '../values/request-fields.ts'
import { readSchedule } from './check-payout-request.ts'
import type { PayeeRequest, PayoutRequest } from './sandbox-payout.ts'

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
    payees: fields.requiredObjects('payout_transaction_details').map(readPayee),
  }
  const isRetry = fields.optional('is_retry') ?? false
  if (typeof isRetry !== 'boolean') fields.fail('is_retry', 'must be a boolean')
  return fields.isClean ? { request, isRetry: isRetry === true } : { problems: fields.problems }
}

const ZERO = decimal('0')
const NAME = /^[\p{L}\p{M}\p{N}']+(?: +[\p{L}\p{M}\p{N}']+)*$/u

function readPayee(fields: Fields): PayeeRequest {
  const payee = fields.text('payee')
  if (payee !== '' && !NAME.test(payee))
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
