import { ExactNumber } from '../../lib/exact-json.ts'
import type { WebhookTarget } from '../payments/link.ts'
import { compareDecimals, decimal, decimalText, parseDecimal } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { isHttpUrl } from './fields.ts'
import type { Fields } from './fields.ts'

/** Smallest and largest amount of a method; both belong to the range. */
export type Limits = { readonly min: Decimal; readonly max: Decimal }

/** A number that may be absent; undefined after noting a problem, too. */
export function optionalNumber(fields: Fields, name: string): Decimal | undefined {
  const value = fields.optional(name)
  if (value === undefined) return undefined
  const number = value instanceof ExactNumber ? parseDecimal(value.text) : undefined
  if (number === undefined)
    fields.fail(name, value instanceof ExactNumber ? 'is not a sensible number' : 'must be a number')
  return number
}

/** A number above zero that must be there; undefined after noting that it is not. */
export function positiveNumber(fields: Fields, name: string): Decimal | undefined {
  if (fields.required(name) === undefined) return undefined
  return aboveZero(fields, name, optionalNumber(fields, name))
}

/** A number above zero that may be absent. */
export function optionalPositiveNumber(fields: Fields, name: string): Decimal | undefined {
  return aboveZero(fields, name, optionalNumber(fields, name))
}

/** Says what is wrong with an amount that lies outside the limits of its method. */
export function limitProblem(amount: Decimal, { min, max }: Limits): string | undefined {
  if (compareDecimals(amount, min) < 0) return `must be at least ${decimalText(min)}`
  return compareDecimals(amount, max) > 0 ? `must be at most ${decimalText(max)}` : undefined
}

/** A text that must be there and whose length, in characters, lies between the two limits. */
export function sizedText(fields: Fields, name: string, { min = 1, max }: { min?: number; max: number }): string {
  const text = fields.text(name)
  noteLength(fields, name, { text, min, max })
  return text
}

/** A text that may be absent and has an upper limit of characters. */
export function optionalSizedText(fields: Fields, name: string, max: number): string | undefined {
  const text = fields.optionalText(name)
  if (text !== undefined) noteLength(fields, name, { text, min: 0, max })
  return text
}

/** A text that must be one of a few. */
export function oneOf<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = fields.text(name)
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) fields.fail(name, 'is not included in the list')
  return choice
}

/** An email address that must be there. */
export function readEmail(fields: Fields, name = 'email'): string {
  const email = fields.text(name)
  if (email !== '' && !isEmail(email)) fields.fail(name, 'is not an email address')
  return email
}

/** Tells whether a text has the shape of an email address. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && EMAIL.test(text)
}

/** An absolute http or https address that may be absent. */
export function optionalUrl(fields: Fields, name: string): string | undefined {
  const url = fields.optionalText(name)
  if (url !== undefined && !isHttpUrl(url)) fields.fail(name, 'is not a URL')
  return url
}

/** An absolute http or https address that must be there. */
export function requiredUrl(fields: Fields, name: string): string {
  const url = fields.text(name)
  if (url !== '' && !isHttpUrl(url)) fields.fail(name, 'is not a URL')
  return url
}

/** A webhook address that may be absent, with an Authorization value that may be absent (docs/payments-api.md, 2.4). */
export function optionalTarget(fields: Fields, name: string): WebhookTarget | undefined {
  const notification = fields.optionalObject(name)
  if (notification === undefined) return undefined
  const endpointUrl = requiredUrl(notification, 'endpoint_url')
  const authorizationHeader = notification.optionalText('authorization_header')
  if (authorizationHeader === undefined) return { endpointUrl }
  noteHeader(notification, authorizationHeader)
  return { endpointUrl, authorizationHeader }
}

/** A webhook address with an Authorization value, both of which must be there (docs/payments-api.md, section 4.1). */
export function requiredTarget(fields: Fields, name: string): FullTarget {
  const notification = fields.requiredObject(name)
  if (notification === undefined) return { endpointUrl: '', authorizationHeader: '' }
  const endpointUrl = requiredUrl(notification, 'endpoint_url')
  const authorizationHeader = notification.text('authorization_header')
  if (authorizationHeader !== '') noteHeader(notification, authorizationHeader)
  return { endpointUrl, authorizationHeader }
}

/** A webhook address that always has an Authorization value. */
export type FullTarget = Required<WebhookTarget>

const ZERO = decimal('0')
const LONGEST_EMAIL = 254
const EMAIL = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/
/** What an HTTP header can carry without being changed on the way. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

function aboveZero(fields: Fields, name: string, number: Decimal | undefined): Decimal | undefined {
  if (number === undefined || compareDecimals(number, ZERO) > 0) return number
  fields.fail(name, 'must be greater than 0')
  return undefined
}

type Length = { text: string; min: number; max: number }

function noteLength(fields: Fields, name: string, { text, min, max }: Length): void {
  const length = Array.from(text).length
  if (length < min) fields.fail(name, `is too short (minimum is ${min} characters)`)
  if (length > max) fields.fail(name, `is too long (maximum is ${max} characters)`)
}

function noteHeader(fields: Fields, value: string): void {
  if (!HEADER_VALUE.test(value)) fields.fail('authorization_header', 'is not a header value')
}
