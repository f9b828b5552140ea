import { z } from 'zod'
import { safeUrl } from './url.ts'
import { decimalToWire } from './wire-money.ts'

/** A body that may be sent, or the places in it that are wrong, without their values. */
export type RequestBody = { body: Record<string, unknown> } | { faults: string[] }

/** Where the payments API tells us of changes, and the `Authorization` header that it is to send (docs/payments-api.md, section 5). */
export type Notification = { readonly endpointUrl: string; readonly authorizationHeader: string }

/** Plain JSON values that a method asks for, by the payments API's own names; one that is null is left out. */
export type MethodFieldValues = Readonly<Record<string, unknown>>

const HEADER_LENGTH = 500
const FIELD_NAME_LENGTH = 100

/** Checks a body against its schema; fields that are absent or null are left out. Throws nothing. */
export function requestBody(schema: z.ZodType<Record<string, unknown>>, fields: Record<string, unknown>): RequestBody {
  const result = schema.safeParse(present(fields))
  if (result.success) return { body: result.data }
  return { faults: [...new Set(result.error.issues.map((issue) => issue.path.map(placeName).join('.')))] }
}

/** A caller chooses some names itself, and what is no name may be anything, payer data too. */
function placeName(name: PropertyKey): string {
  const text = String(name)
  return /^\w{1,64}$/.test(text) ? text : '?'
}

/** The fields that have a value. */
export function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

/** A notification under the payments API's names. */
export function notificationBody({ endpointUrl, authorizationHeader }: Notification): Record<string, unknown> {
  return { endpoint_url: endpointUrl, authorization_header: authorizationHeader }
}

/** A text of 1 to `longest` UTF-16 units. */
export const boundedText = (longest: number) => z.string().min(1).max(longest)

/** A text between two lengths, blanks at its ends not counted. */
export const sentence = (shortest: number, longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => value.trim().length >= shortest, 'is too short')

/** An address that a customer or a request may be sent to. */
export const address = z.string().refine((value) => safeUrl(value) !== null, 'must be an https address')

/** Plain digits, put on the wire as a number that every reader takes for the same value. */
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

/** Codes are opaque, but none holds white space or a character that would have to be escaped somewhere. */
export const methodCode = z.string().regex(/^[\w.:-]{1,100}$/)

/** A uuid as the payments API makes them. */
export const uuidText = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** What a method asks for: any plain JSON, because the descriptors do not tell the shape of a value (gap sheet, section 8). */
export const methodFieldValues = z.record(boundedText(FIELD_NAME_LENGTH), z.json())
