import { type ExactJson, toPlainJson } from '../../../lib/exact-json.ts'
import { isRecord, textFrom } from '../values/wire-fields.ts'

/** These keys are read into fields of their own. */
const READ_ELSEWHERE = new Set(['3ds_url', 'error_code', 'error_message'])

/** Credentials are never shown to a customer, at whatever level they appear. */
const CREDENTIALS = new Set(['token', 'authorization_header', 'card_token_id'])

const DEEPEST = 5
const MOST_ENTRIES = 50
const KEY_LENGTH = 100
/** Limit for texts; QR payloads and redirect URLs are the longest. */
const TEXT_LENGTH = 4_000

/**
 * Reads the payment instructions for the customer: the entries of `pay_code` under the payments API's own names, as plain JSON; a
 * plain string is returned under `pay_code`. Null if there is nothing to show. Source: gap sheet, sections 9 and 25, and C6.
 */
export function readInstructions(payCode: ExactJson | undefined): Readonly<Record<string, unknown>> | null {
  const entries = isRecord(payCode) ? payCode : typeof payCode === 'string' ? { pay_code: payCode } : {}
  const shown = Object.fromEntries(Object.entries(entries).filter(([key]) => !READ_ELSEWHERE.has(key)))
  const clean = toPlainJson(cleaned(shown, 1)) as Record<string, unknown>
  return Object.values(clean).every((value) => value === null) ? null : clean
}

/** Removes credentials and limits the size: a hostile body must not fill the store. */
function cleaned(json: ExactJson, depth: number): ExactJson {
  if (typeof json === 'string') return textFrom(json, TEXT_LENGTH)
  if (depth > DEEPEST) return typeof json === 'object' && (isRecord(json) || Array.isArray(json)) ? null : json
  if (Array.isArray(json)) return json.slice(0, MOST_ENTRIES).map((entry) => cleaned(entry, depth + 1))
  if (!isRecord(json)) return json
  const kept = Object.entries(json).filter(([key]) => !CREDENTIALS.has(key) && key.length <= KEY_LENGTH)
  return Object.fromEntries(kept.slice(0, MOST_ENTRIES).map(([key, value]) => [key, cleaned(value, depth + 1)]))
}
