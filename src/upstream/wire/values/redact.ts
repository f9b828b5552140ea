import { type ExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { AMENDMENT, WRAPPERS } from '../wire-agreement.ts'
import { isRecord, type JsonRecord } from './readers.ts'

/**
 * Storage rule: `true` keeps a plain value, `'presence'` keeps only the fact that there is a text, an object applies to an
 * object.
 */
type Kept = { readonly [key: string]: true | 'presence' | Kept }

const LONGEST_TEXT = 500

const transaction: Kept = {
  uuid: true,
  status: true,
  currency: true,
  amount: true,
  total: true,
  paid_amount: true,
  is_refundable: true,
  gst: true,
  gst_amount: true,
  payment_method: true,
  payin_method_code: true,
  expired_at: true,
  expires_at: true,
  expried_at: true,
  created_at: true,
  pay_code: { error_code: true },
  refund_information: { total_amount: true, refund_amount: true },
  sender_details: { card: { card_type: true, card_brand: true, card_last_4: true, card_country: true } },
}

const KEPT: Kept = {
  ...transaction,
  transaction_info: transaction,
  // Presence distinguishes a link from a payment; the URL itself is not stored, because anyone who has it can open the payment
  // page.
  payment_url: 'presence',
  payment_link_url: 'presence',
}

const terms: Kept = { start_date: true, frequency: true }

const agreement: Kept = {
  id: true,
  payment_agreement_id: true,
  client_transaction_id: true,
  limit_amount: true,
  status: true,
  created_at: true,
  payment_agreement_type: true,
  agreement_details: Object.fromEntries(Object.values(WRAPPERS).map((wrapper) => [wrapper, terms])),
}

const KEPT_OF_AGREEMENT: Kept = { ...agreement, [AMENDMENT]: agreement }

/**
 * Returns the part of a delivery's body that may be stored: only entries known to contain no secrets and no payer identity.
 * Tokens, `authorization_header`, names, e-mail addresses and all keys unknown to this version are removed. Texts are cut but
 * otherwise unchanged, so that an unreadable value does not become readable by being stored. Null if the body is not an object.
 */
export function withoutSecrets(json: ExactJson): ExactJson {
  return isRecord(json) ? allowed(json, KEPT) : null
}

/**
 * Returns the part of an agreement callback's body that may be stored (docs/payments-api.md, section 2.1), by the same rule.
 * `payer_details` is removed completely, and so are `description` and `external_id`, which are free text of the merchant.
 */
export function withoutSecretsOfAgreement(json: ExactJson): ExactJson {
  return isRecord(json) ? allowed(json, KEPT_OF_AGREEMENT) : null
}

function allowed(json: JsonRecord, kept: Kept): JsonRecord {
  const result: JsonRecord = {}
  for (const [key, rule] of entriesOf(kept)) {
    const value = Object.hasOwn(json, key) ? json[key] : undefined
    if (value === undefined) continue
    if (rule === 'presence') {
      if (typeof value === 'string') result[key] = ''
    } else if (rule !== true) {
      if (isRecord(value)) result[key] = allowed(value, rule)
    } else if (typeof value === 'string') result[key] = value.slice(0, LONGEST_TEXT)
    else if (isPlain(value)) result[key] = value
  }
  return result
}

const entriesOfRules = new Map<Kept, readonly [string, Kept[string]][]>()

/** The entries of a rule, computed once, since the rules are constants. */
function entriesOf(kept: Kept): readonly [string, Kept[string]][] {
  const known = entriesOfRules.get(kept)
  if (known !== undefined) return known
  const entries = Object.entries(kept)
  entriesOfRules.set(kept, entries)
  return entries
}

function isPlain(value: ExactJson): boolean {
  return value === null || typeof value !== 'object' || value instanceof ExactNumber
}
