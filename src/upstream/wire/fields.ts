import { z } from 'zod'
import { type ExactJson, ExactNumber } from '../../domain/exact-json.ts'
import { instantFromWire } from './instant.ts'
import { decimalFromWire } from './money.ts'
import { safeUrl } from './url.ts'

export type JsonRecord = { [key: string]: ExactJson }

/** Whether a JSON value is an object, and neither a list nor a number. */
export function isRecord(json: unknown): json is JsonRecord {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof ExactNumber)
}

/**
 * A text as the service writes one: trimmed, without control characters and broken surrogates (no store takes those),
 * cut to `length` UTF-16 units. Null for what is no text, and for an empty one (gap sheet, section 25.1).
 */
export function textFrom(json: unknown, length: number): string | null {
  if (typeof json !== 'string') return null
  // Cut first, so that a text of a megabyte costs no more than one that fits.
  const text = json
    .slice(0, 2 * length)
    .replaceAll(CONTROL, '')
    .trim()
    .slice(0, length)
  return text === '' ? null : text.toWellFormed()
}

/** A uuid as the service makes them, safe as a path segment: 1 to 64 letters, digits, `_` and `-`; null for another. */
export function usableUuid(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(json) ? json : null
}

/** A method code: opaque, but free of white space and of characters that would have to be escaped; null for another. */
export function usableMethodCode(json: unknown): string | null {
  return typeof json === 'string' && /^[\w.:-]{1,100}$/.test(json) ? json : null
}

/** A field that never fails: absent, or unreadable to `reader`, it is what the reader makes of null. */
export const lenient = <Value>(reader: (json: unknown) => Value) => z.unknown().default(null).transform(reader)

/** A text of at most `length` UTF-16 units, or null. */
export const text = (length: number) => lenient((json) => textFrom(json, length))
export const decimal = lenient(decimalFromWire)
export const instant = lenient(instantFromWire)
export const uuid = lenient(usableUuid)
export const url = lenient(safeUrl)

/** A status as it came; null for what is no short word. */
export const status = lenient((json) =>
  typeof json === 'string' && /^[\w .:-]{1,64}$/.test(json.trim()) ? json.trim() : null,
)

/** A text, or a number's own digits: for codes and references, which the service writes either way. */
export const label = (length: number) =>
  lenient((json) => textFrom(json instanceof ExactNumber ? json.text : json, length))

/** A currency code in upper case. */
export const currency = lenient((json) =>
  typeof json === 'string' && /^[A-Za-z]{3,4}$/.test(json) ? json.toUpperCase() : null,
)

/** A flag, or its name as text (gap sheet, C8). */
export const flag = lenient((json) => {
  if (json === true || json === 'true') return true
  return json === false || json === 'false' ? false : null
})

/** A count: a whole number, or one written as text. */
export const count = lenient((json) => {
  const digits = json instanceof ExactNumber ? json.text : json
  return typeof digits === 'string' && /^\d{1,9}$/.test(digits) ? Number(digits) : null
})

/** A nested object; read as an empty one where something else, or nothing, stands in its place. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess((json) => (isRecord(json) ? json : {}), z.object(shape))

const CONTROL = /(?![\t\n\r])\p{Cc}/gu
