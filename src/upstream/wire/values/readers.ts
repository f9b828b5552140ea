import { type ExactJson, ExactNumber } from '../../../lib/exact-json.ts'
import { instantFromWire } from './instant.ts'
import { safeUrl } from './url.ts'
import { decimalFromWire } from './wire-money.ts'

/**
 * Functions that read one field each and never fail: what is absent or unreadable is null. Plain functions, since a webhook is
 * read with them; `fields.ts` has the same as schemas.
 */

export type JsonRecord = { [key: string]: ExactJson }

/** Gives a value for anything; null stands for an absent field. */
export type WireReader<Value> = (json: unknown) => Value

type Shape = Readonly<Record<string, WireReader<unknown>>>

/** What the readers of an object's fields give. */
export type ReadRecord<Fields extends Shape> = { [Key in keyof Fields]: ReturnType<Fields[Key]> }

/** Whether a JSON value is an object, and neither a list nor a number. */
export function isRecord(json: unknown): json is JsonRecord {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof ExactNumber)
}

/** Reads an object's fields by their names; those of an empty one where something else, or nothing, stands in its place. */
export function recordReader<Fields extends Shape>(shape: Fields): WireReader<ReadRecord<Fields>> {
  const entries = Object.entries(shape)
  const read = (json: Readonly<Record<string, unknown>>) => {
    const result: Record<string, unknown> = {}
    for (const [key, reader] of entries) result[key] = reader(json[key] ?? null)
    return result as ReadRecord<Fields>
  }
  const empty = read({})
  return (json) => (isRecord(json) ? read(json) : empty)
}

/**
 * A text as the payments API writes one: trimmed, without control characters and broken surrogates (no store takes those),
 * cut to `length` UTF-16 units. Null for what is no text, and for an empty one (gap sheet, section 25.1).
 */
export function textFrom(json: unknown, length: number): string | null {
  if (typeof json !== 'string') return null
  // Cut first, so that a text of a megabyte costs no more than one that fits.
  const cut = json.slice(0, 2 * length)
  const text = (ANY_CONTROL.test(cut) ? cut.replaceAll(CONTROL, '') : cut).trim().slice(0, length)
  return text === '' ? null : text.toWellFormed()
}

const ANY_CONTROL = /\p{Cc}/u
const CONTROL = /(?![\t\n\r])\p{Cc}/gu

/** A text of at most `length` UTF-16 units, or null. */
export const readText =
  (length: number): WireReader<string | null> =>
  (json) =>
    textFrom(json, length)

export const readDecimal: WireReader<string | null> = decimalFromWire
export const readInstant: WireReader<string | null> = instantFromWire
export const readUrl: WireReader<string | null> = safeUrl

/** A uuid as the payments API makes them, safe as a path segment: 1 to 64 letters, digits, `_` and `-`; null for another. */
export function usableUuid(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(json) ? json : null
}

/** A method code: opaque, but free of white space and of characters that would have to be escaped; null for another. */
export function usableMethodCode(json: unknown): string | null {
  return typeof json === 'string' && /^[\w.:-]{1,100}$/.test(json) ? json : null
}

/** A status as it came; null for what is no short word. */
export function readStatus(json: unknown): string | null {
  return typeof json === 'string' && /^[\w .:-]{1,64}$/.test(json.trim()) ? json.trim() : null
}

/** A currency code in upper case. */
export function readCurrency(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z]{3,4}$/.test(json) ? json.toUpperCase() : null
}

/** A flag, or its name as text (gap sheet, C8). */
export function readFlag(json: unknown): boolean | null {
  if (json === true || json === 'true') return true
  return json === false || json === 'false' ? false : null
}
