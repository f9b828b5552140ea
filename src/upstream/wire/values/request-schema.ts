import { z } from 'zod'
import { decimalToWire } from './readers.ts'
import { safeUrl } from './url.ts'

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
  const text = String(name)
  return /^\w{1,64}$/.test(text) ? text : '?'
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

/**
 * Values of a method's required fields: any plain JSON, because the descriptors do not define the type of a value (gap sheet,
 * section 8).
 */
export const methodFieldValues = z.record(boundedText(FIELD_NAME_LENGTH), z.json())
