import { z } from 'zod'
import { ExactNumber, type ExactJson } from '../../../lib/exact-json.ts'
import { readEndpointUrl } from '../payments/wire-payment.ts'
import {
  isRecord,
  readCurrency,
  readDecimal,
  readFlag,
  readInstant,
  readStatus,
  readText,
  readUrl,
  textFrom,
  usableUuid,
} from './readers.ts'

export { isRecord, type JsonRecord, textFrom, usableMethodCode, usableUuid } from './readers.ts'

/** A field that never fails: absent or unreadable values give `reader(null)`. */
export const lenient = <Value>(reader: (json: unknown) => Value) => z.unknown().default(null).transform(reader)

/** A text of at most `length` UTF-16 units, or null. */
export const text = (length: number) => lenient(readText(length))
export const decimal = lenient(readDecimal)
export const instant = lenient(readInstant)
export const uuid = lenient(usableUuid)
export const url = lenient(readUrl)

/** A status as received; null if it is not a short word. */
export const status = lenient(readStatus)

/** A text, or the digits of a number: for codes and references, which the payments API writes either way. */
export const label = (length: number) =>
  lenient((json) => textFrom(json instanceof ExactNumber ? json.text : json, length))

/** A currency code in upper case. */
export const currency = lenient(readCurrency)

/** A boolean, also from its name as text (gap sheet, C8). */
export const flag = lenient(readFlag)

/** A count: an integer, or one written as a string. */
export const count = lenient((json) => {
  const digits = json instanceof ExactNumber ? json.text : json
  return typeof digits === 'string' && /^\d{1,9}$/.test(digits) ? Number(digits) : null
})

/** A nested object; any value that is not an object is read as an empty object. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess((json) => (isRecord(json) ? json : {}), z.object(shape))

export type WirePage = {
  readonly records: readonly ExactJson[]
  readonly page: number | null
  readonly totalPages: number | null
  /** Null on the last page, or if the payments API does not provide it. */
  readonly nextPage: number | null
  /** Number of entries on all pages. */
  readonly totalCount: number | null
}

const envelope = z.object({
  page: count,
  next_page: count,
  per_page: count,
  size: count,
  total: count,
  total_count: count,
  total_page: count,
  total_pages: count,
})

/**
 * Reads the envelope of a list: `records`, and its extent, given in pages or in entries (gap sheet, sections 5.3, 10 and 16).
 * Null if there is no list.
 */
export function readPage(json: ExactJson): WirePage | null {
  if (!isRecord(json) || !Array.isArray(json['records'])) return null
  const { page, next_page: next, ...totals } = envelope.parse(json)
  const totalCount = totals.total ?? totals.total_count
  const size = totals.per_page ?? totals.size
  const counted = totalCount === null || size === null || size === 0 ? null : Math.ceil(totalCount / size)
  return {
    records: json['records'],
    page,
    totalPages: totals.total_page ?? totals.total_pages ?? counted,
    // A next page that is not after the current one would cause an endless loop.
    nextPage: next === null || next <= (page ?? 0) ? null : next,
    totalCount,
  }
}

/** Returns the record in an answer: some answers have it under a separate key (gap sheet, sections 8 and 17). */
export function unwrapped(json: ExactJson, key = 'record'): ExactJson {
  return isRecord(json) && !('uuid' in json) && isRecord(json[key]) ? json[key] : json
}

type Extent = { readonly totalPages: number | null; readonly totalCount: number | null }

/** Returns the extent of the pages of several lists together: the most pages, and the sum of the entries; null if any is unknown. */
export function combinedPage(pages: readonly Extent[]): Extent {
  return {
    totalPages: combined(
      pages.map(({ totalPages }) => totalPages),
      (counts) => Math.max(...counts),
    ),
    totalCount: combined(
      pages.map(({ totalCount }) => totalCount),
      (counts) => counts.reduce((a, b) => a + b, 0),
    ),
  }
}

function combined(counts: readonly (number | null)[], combine: (counts: readonly number[]) => number): number | null {
  const known = counts.filter((one) => one !== null)
  return known.length === counts.length && known.length > 0 ? combine(known) : null
}

/** The request fields that the answer to a creation repeats; null for those it does not. */
export type Echo = {
  readonly currency: string | null
  /** Plain digits. */
  readonly amount: string | null
  readonly endpointUrl: string | null
}

const echo = z.object({ currency, amount: decimal })

/** Reads the repeated request fields of an answer, so that the answer to another request is detected. Never throws. */
export function readEcho(json: ExactJson): Echo {
  return { ...echo.parse(isRecord(json) ? json : {}), endpointUrl: readEndpointUrl(json) }
}
