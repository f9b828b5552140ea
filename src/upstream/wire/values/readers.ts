import { compareDecimals, decimalFromText } from '../../../domain/money/money.ts'
import { type ExactJson, ExactNumber } from '../../../lib/exact-json.ts'
import { instantFromWire } from './instant.ts'
import { safeUrl } from './url.ts'

/**
 * Functions that read one field each and never throw: an absent or unreadable field is null. Plain functions for reading
 * webhooks; `wire-fields.ts` has the same as schemas.
 */

export type JsonRecord = { [key: string]: ExactJson }

/** Returns a value for any input; null stands for an absent field. */
export type WireReader<Value> = (json: unknown) => Value

type Shape = Readonly<Record<string, WireReader<unknown>>>

/** The result types of the readers of an object's fields. */
export type ReadRecord<Fields extends Shape> = { [Key in keyof Fields]: ReturnType<Fields[Key]> }

/** Returns whether a JSON value is an object (not a list or number). */
export function isRecord(json: unknown): json is JsonRecord {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof ExactNumber)
}

/** Reads an object's fields by name; any value that is not an object is read as an empty object. */
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
 * Returns a trimmed text without control characters and broken surrogates (which stores reject), cut to `length` UTF-16 units.
 * Null for a value that is not a string, and for an empty text (gap sheet, section 25.1).
 */
export function textFrom(json: unknown, length: number): string | null {
  if (typeof json !== 'string') return null
  // Cut first, so that the cost does not grow with the length of the text.
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

/** Returns a uuid of the payments API, safe as a path segment: 1 to 64 letters, digits, `_` and `-`; otherwise null. */
export function usableUuid(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(json) ? json : null
}

/** Returns a method code: opaque, but without white space and characters that need escaping; otherwise null. */
export function usableMethodCode(json: unknown): string | null {
  return typeof json === 'string' && /^[\w.:-]{1,100}$/.test(json) ? json : null
}

/** Returns a status as received; null if it is not a short word. */
export function readStatus(json: unknown): string | null {
  return typeof json === 'string' && /^[\w .:-]{1,64}$/.test(json.trim()) ? json.trim() : null
}

/** Returns a currency code in upper case. */
export function readCurrency(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z]{3,4}$/.test(json) ? json.toUpperCase() : null
}

/** Returns a boolean, also from its name as text (gap sheet, C8). */
export function readFlag(json: unknown): boolean | null {
  if (json === true || json === 'true') return true
  return json === false || json === 'false' ? false : null
}

/** Returns the plain digits of an amount that the payments API wrote as a number or a string (gap sheet, C7); otherwise null. */
export function decimalFromWire(json: unknown): string | null {
  if (json instanceof ExactNumber) return decimalFromText(json.text)
  return typeof json === 'string' ? decimalFromText(json) : null
}

/**
 * Converts plain digits to a JSON number that every parser reads as the same value, also as a float. Throws `RangeError` for a
 * text that is no plain decimal, and for a value that a float would change.
 */
export function decimalToWire(value: string): ExactNumber {
  if (!/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) throw new RangeError('An amount must be a plain decimal.')
  const readBack = decimalFromText(String(Number(value)))
  if (readBack === null || compareDecimals(readBack, value) !== 0)
    throw new RangeError('An amount has more digits than a JSON number keeps.')
  return new ExactNumber(value)
}
