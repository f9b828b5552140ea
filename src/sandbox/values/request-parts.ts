import { ExactNumber } from '../../lib/exact-json.ts'
import type { WebhookTarget } from '../payments/link.ts'
import { compareDecimals, decimal, decimalText, parseDecimal } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { isHttpUrl } from './request-fields.ts'
import type { Fields } from './request-fields.ts'

/** Smallest and largest amount of a method, both inclusive. */
export type Limits = { readonly min: Decimal; readonly max: Decimal }

/** Returns an optional number; undefined when it is absent or invalid. */
export function optionalNumber(fields: Fields, name: string): Decimal | undefined {
  const value = fields.optional(name)
  if (value === undefined) return undefined
  const number = value instanceof ExactNumber ? parseDecimal(value.text) : undefined
  if (number === undefined)
    fields.fail(name, value instanceof ExactNumber ? 'is not a sensible number' : 'must be a number')
  return number
}

/** Returns a required number above zero; undefined, with a problem recorded, when it is missing or invalid. */
export function positiveNumber(fields: Fields, name: string): Decimal | undefined {
  if (fields.required(name) === undefined) return undefined
  return aboveZero(fields, name, optionalNumber(fields, name))
}

/** Returns an optional number above zero. */
export function optionalPositiveNumber(fields: Fields, name: string): Decimal | undefined {
  return aboveZero(fields, name, optionalNumber(fields, name))
}

/** Returns the problem with an amount outside the limits of its method. */
export function limitProblem(amount: Decimal, { min, max }: Limits): string | undefined {
  if (compareDecimals(amount, min) < 0) return `must be at least ${decimalText(min)}`
  return compareDecimals(amount, max) > 0 ? `must be at most ${decimalText(max)}` : undefined
}

/** Returns a required text whose length in characters lies between the two limits. */
export function sizedText(fields: Fields, name: string, { min = 1, max }: { min?: number; max: number }): string {
  const text = fields.text(name)
  noteLength(fields, name, { text, min, max })
  return text
}

/** Returns an optional text with a maximum length in characters. */
export function optionalSizedText(fields: Fields, name: string, max: number): string | undefined {
  const text = fields.optionalText(name)
  if (text !== undefined) noteLength(fields, name, { text, min: 0, max })
  return text
}

/** Returns a text that must be one of the given choices. */
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

/** Returns a required email address. */
export function readEmail(fields: Fields, name = 'email'): string {
  const email = fields.text(name)
  if (email !== '' && !isEmail(email)) fields.fail(name, 'is not an email address')
  return email
}

/** Whether a text has the form of an email address. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && EMAIL.test(text)
}

/** Returns an optional absolute http or https URL. */
export function optionalUrl(fields: Fields, name: string): string | undefined {
  const url = fields.optionalText(name)
  if (url !== undefined && !isHttpUrl(url)) fields.fail(name, 'is not a URL')
  return url
}

/** Returns a required absolute http or https URL. */
export function requiredUrl(fields: Fields, name: string): string {
  const url = fields.text(name)
  if (url !== '' && !isHttpUrl(url)) fields.fail(name, 'is not a URL')
  return url
}

/** Returns an optional webhook target with an optional Authorization value (docs/payments-api.md, 2.4). */
export function optionalTarget(fields: Fields, name: string): WebhookTarget | undefined {
  const notification = fields.optionalObject(name)
  if (notification === undefined) return undefined
  const endpointUrl = requiredUrl(notification, 'endpoint_url')
  const authorizationHeader = notification.optionalText('authorization_header')
  if (authorizationHeader === undefined) return { endpointUrl }
  noteHeader(notification, authorizationHeader)
  return { endpointUrl, authorizationHeader }
}

/** Returns a required webhook target with a required Authorization value (docs/payments-api.md, section 4.1). */
export function requiredTarget(fields: Fields, name: string): FullTarget {
  const notification = fields.requiredObject(name)
  if (notification === undefined) return { endpointUrl: '', authorizationHeader: '' }
  const endpointUrl = requiredUrl(notification, 'endpoint_url')
  const authorizationHeader = notification.text('authorization_header')
  if (authorizationHeader !== '') noteHeader(notification, authorizationHeader)
  return { endpointUrl, authorizationHeader }
}

/** A webhook target with an Authorization value. */
export type FullTarget = Required<WebhookTarget>

const ZERO = decimal('0')
const LONGEST_EMAIL = 254
const EMAIL = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/
/** Characters that an HTTP header carries unchanged. */
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
