import { type ExactJson } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import { readEndpointUrl } from '../wire-payment.ts'
import { count, currency, decimalFromWire, decimalToWire, isRecord, recordReader, safeUrl, status } from './readers.ts'

export type WirePage = {
  readonly records: readonly ExactJson[]
  readonly page: number | null
  readonly totalPages: number | null
  /** Null on the last page, or if the payments API does not provide it. */
  readonly nextPage: number | null
  /** Number of entries on all pages. */
  readonly totalCount: number | null
}

const readEnvelope = recordReader({
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
 * `records: null` is an empty list, because some languages serialise one so. Null if there is no list.
 */
export function readPage(json: ExactJson): WirePage | null {
  if (!isRecord(json)) return null
  const records = json['records'] === null ? [] : json['records']
  if (!Array.isArray(records)) return null
  const { page, next_page: next, ...totals } = readEnvelope(json)
  const totalCount = totals.total ?? totals.total_count
  const size = totals.per_page ?? totals.size
  const counted = totalCount === null || size === null || size === 0 ? null : Math.ceil(totalCount / size)
  return {
    records,
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

const readRepeated = recordReader({ currency, amount: decimalFromWire })

/** Reads the repeated request fields of an answer, so that the answer to another request is detected. Never throws. */
export function readEcho(json: ExactJson): Echo {
  return { ...readRepeated(json), endpointUrl: readEndpointUrl(json) }
}

/** A valid body, or the names of its invalid fields, without their values. */
export type RequestBody = { body: Record<string, unknown> } | { faults: string[] }

/**
 * The URL to which the payments API sends webhooks, and the `Authorization` header that it sends with them (docs/payments-api.md,
 * section 5).
 */
export type Notification = { readonly endpointUrl: string; readonly authorizationHeader: string }

/** Values of a method's required fields as plain JSON, under the payments API's own names; null values are omitted. */
export type MethodFieldValues = Readonly<Record<string, unknown>>

const HEADER_LENGTH = 500
const FIELD_NAME_LENGTH = 100

/** Validates a body against its schema; absent and null fields are omitted. Never throws. */
export function requestBody(schema: z.ZodType<Record<string, unknown>>, fields: Record<string, unknown>): RequestBody {
  const result = schema.safeParse(present(fields))
  if (result.success) return { body: result.data }
  return { faults: [...new Set(result.error.issues.map((issue) => issue.path.map(placeName).join('.')))] }
}

/** Some field names come from the caller; a name of unexpected form may be anything, including payer data, and is not shown. */
function placeName(name: PropertyKey): string {
  const shown = String(name)
  return /^\w{1,64}$/.test(shown) ? shown : '?'
}

/** Returns the fields that are neither null nor undefined. */
export function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

/** Returns a notification under the payments API's field names. */
export function notificationBody({ endpointUrl, authorizationHeader }: Notification): Record<string, unknown> {
  return { endpoint_url: endpointUrl, authorization_header: authorizationHeader }
}

/** A text of 1 to `longest` UTF-16 units. */
export const boundedText = (longest: number) => z.string().min(1).max(longest)

/** A text between two lengths, not counting blanks at its ends. */
export const sentence = (shortest: number, longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => value.trim().length >= shortest, 'is too short')

/** A URL to which a customer or a request may be sent. */
export const address = z.string().refine((value) => safeUrl(value) !== null, 'must be an https address')

/** Plain digits, sent as a JSON number that every parser reads as the same value. */
export const amount = z.string().transform((value, context) => {
  try {
    return decimalToWire(value)
  } catch {
    context.addIssue('must be a plain decimal')
    return z.NEVER
  }
})

export const notification = z.strictObject({
  endpoint_url: address,
  authorization_header: boundedText(HEADER_LENGTH),
})

export const countryCode = z.string().regex(/^[A-Z]{2}$/)

/** Codes are opaque, but contain no white space and no character that needs escaping. */
export const methodCode = z.string().regex(/^[\w.:-]{1,100}$/)

/** A uuid in the format of the payments API. */
export const uuidText = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

const cancellation = z.strictObject({ uuid: uuidText })

/** Builds the body that cancels a payin or a scheduled payout (gap sheet, sections 12 and 20). Never throws. */
export function toCancellationBody(uuid: string): RequestBody {
  return requestBody(cancellation, { uuid })
}

/** Reads an answer that says no more than that the request was accepted. */
export const readAccepted = recordReader({ status })

/**
 * Values of a method's required fields: any plain JSON, because the descriptors do not define the type of a value (gap sheet,
 * section 8).
 */
export const methodFieldValues = z.record(boundedText(FIELD_NAME_LENGTH), z.json())
