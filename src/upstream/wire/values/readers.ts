import { isDay } from 'payments-subgraph-lib/calendar'
import { type ExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import { compareDecimals, decimalFromText } from '../../../domain/money/money.ts'

/** Functions that read one field each and never throw: an absent or unreadable field is null. */

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
  const clean = (ANY_CONTROL.test(cut) ? cut.replaceAll(CONTROL, '') : cut).trim().slice(0, length)
  return clean === '' ? null : clean.toWellFormed()
}

const ANY_CONTROL = /\p{Cc}/u
const CONTROL = /(?![\t\n\r])\p{Cc}/gu

/** A text of at most `length` UTF-16 units, or null. */
export const text =
  (length: number): WireReader<string | null> =>
  (json) =>
    textFrom(json, length)

/** A text, or the digits of a number: for codes and references, which the payments API writes either way. */
export const label =
  (length: number): WireReader<string | null> =>
  (json) =>
    textFrom(json instanceof ExactNumber ? json.text : json, length)

/** Returns a uuid of the payments API, safe as a path segment: 1 to 64 letters, digits, `_` and `-`; otherwise null. */
export function usableUuid(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(json) ? json : null
}

/** Returns a method code: opaque, but without white space and characters that need escaping; otherwise null. */
export function usableMethodCode(json: unknown): string | null {
  return typeof json === 'string' && /^[\w.:-]{1,100}$/.test(json) ? json : null
}

/** Returns a status as received; null if it is not a short word. */
export function status(json: unknown): string | null {
  return typeof json === 'string' && /^[\w .:-]{1,64}$/.test(json.trim()) ? json.trim() : null
}

/** Returns a currency code in upper case. */
export function currency(json: unknown): string | null {
  return typeof json === 'string' && /^[A-Za-z]{3,4}$/.test(json) ? json.toUpperCase() : null
}

/** Returns a boolean, also from its name as text (gap sheet, C8). */
export function flag(json: unknown): boolean | null {
  if (json === true || json === 'true') return true
  return json === false || json === 'false' ? false : null
}

/** Returns a count: an integer, or one written as a string. */
export function count(json: unknown): number | null {
  const digits = json instanceof ExactNumber ? json.text : json
  return typeof digits === 'string' && /^\d{1,9}$/.test(digits) ? Number(digits) : null
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

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d:?\d\d)?$/i

const MINUTE_MS = 60_000

/**
 * Reads an instant in the payments API's format, `2026-12-31T00:00:00.000+0000` or `...Z`, and returns it in UTC with
 * milliseconds. Without a zone it is UTC. Null for an empty text, for a date that does not exist, and for a number, whose unit is
 * not known. Source: gap sheet, sections 25.1 and 26.
 */
export function instantFromWire(json: unknown): string | null {
  const match = typeof json === 'string' ? SHAPE.exec(json.trim()) : null
  if (match === null) return null
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', decimals = '', zone = 'Z'] = match
  const offset = offsetMinutes(zone)
  const isReal = year >= '0100' && isDay(`${year}-${month}-${day}`) && hour <= '23' && minute <= '59' && second <= '59'
  if (offset === null || !isReal) return null
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${decimals.padEnd(3, '0').slice(0, 3)}Z`
  if (offset === 0) return local
  const instant = new Date(Date.parse(local) - offset * MINUTE_MS).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}

function offsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Returns an instant in whole seconds of UTC, `2026-12-31T00:00:00`: the format of instants in requests (gap sheet, section 26).
 * With `upwards` it is rounded up, for the end of an interval. Throws `RangeError` for an invalid date.
 */
export function instantToWire(instant: Date, upwards = false): string {
  const seconds = instant.getTime() / 1000
  return new Date((upwards ? Math.ceil(seconds) : Math.floor(seconds)) * 1000).toISOString().slice(0, 19)
}

/**
 * Reads a day in the payments API's format, `31/12/26` in UTC, and returns `2026-12-31`; a day in ISO format is accepted too.
 * Null for any other text, and for a day that does not exist. Source: docs/payments-api.md, section 2.2.
 */
export function dayFromWire(json: unknown): string | null {
  if (typeof json !== 'string') return null
  const written = json.trim()
  const match = /^(\d\d)\/(\d\d)\/(?:20)?(\d\d)$/.exec(written)
  return realDay(match === null ? written.slice(0, LONGEST_DAY) : `20${match[3]}-${match[2]}-${match[1]}`)
}

/**
 * Converts a day, `2026-12-31`, to the wire format `31/12/26`. Null for a text that is no day, and for years outside 2000 to
 * 2099, because two digits do not give the century.
 */
export function dayToWire(day: string): string | null {
  const [, year, month, date] = /^20(\d\d)-(\d\d)-(\d\d)$/.exec(realDay(day) ?? '') ?? []
  return year === undefined ? null : `${date}/${month}/${year}`
}

/** Texts are cut to this length: one character more than the longest valid day. */
const LONGEST_DAY = 11

/** Returns the text if it is a day of the calendar, `2026-12-31`; otherwise null. */
export function realDay(day: string): string | null {
  return isDay(day) ? day : null
}

/** Gateway pages have a long token in their query. */
const LONGEST_URL = 8_192

/** The URL parser removes these silently, so the text would not be the URL that was checked. */
const BLANK = /[\s\p{Cc}]/u

/**
 * Returns a URL to which a customer or a request may be sent: https, or http on loopback, without credentials. Null for
 * everything else, including `javascript:`.
 */
export function safeUrl(json: unknown): string | null {
  if (typeof json !== 'string' || json.length > LONGEST_URL || BLANK.test(json) || !URL.canParse(json)) return null
  const { protocol, hostname, username, password } = new URL(json)
  const secure = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return secure && username === '' && password === '' ? json : null
}

/** Of fixed length, so that the length of the hidden text is not revealed. */
const MASK = '***'

const SHOWN = 3

/** Below this length, the visible end would be most of the number. */
const SHORTEST_SHOWN = 6

const LONGEST_ADDRESS = 320

/**
 * Masks an account number, telephone number or ABN: only its last three digits remain, and no digit of a short one. Null if there
 * is no number.
 */
export function maskedNumber(json: unknown): string | null {
  const digits = json instanceof ExactNumber ? json.text : json
  const compact = typeof digits === 'string' ? digits.replaceAll(/[\s-]/g, '') : ''
  if (compact === '') return null
  const end = compact.slice(-SHOWN)
  return compact.length >= SHORTEST_SHOWN && /^\d+$/.test(end) ? `${MASK}${end}` : MASK
}

/**
 * Masks a payer's alias: of an e-mail address the first letter and the domain remain, of everything else the last three digits.
 * The content decides, not the stated type, because a wrong type must not reveal more.
 */
export function maskedAlias(json: unknown): string | null {
  return typeof json === 'string' && json.includes('@') ? maskedEmail(json.trim()) : maskedNumber(json)
}

function maskedEmail(address: string): string {
  if (address.length > LONGEST_ADDRESS) return MASK
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (!/^[a-z0-9.-]{1,253}$/i.test(domain)) return MASK
  const [first = '', ...others] = address.slice(0, at)
  const shown = others.length > 0 && /^[\p{L}\p{N}]$/u.test(first) ? first : ''
  return `${shown}${MASK}@${domain}`
}
