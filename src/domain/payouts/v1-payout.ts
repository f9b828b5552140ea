import { NO_FLAGS } from '../methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from './payout-report.ts'

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
