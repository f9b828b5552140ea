import { ExactNumber, type ExactJson } from 'payments-subgraph-lib/exact-json'
import { compareDecimals, decimal, decimalText, parseDecimal, type Decimal } from './decimal.ts'

export type JsonObject = { [key: string]: ExactJson }

/** Problems by field name, as a 422 response carries them (gap sheet, section 1, form A). */
export type Problems = Record<string, string>

/** Reads the fields of a request body and records every problem under the field's name; nested names are joined with a dot. */
export class Fields {
  readonly problems: Problems
  readonly #values: JsonObject
  readonly #prefix: string

  constructor(values: JsonObject, problems: Problems = {}, prefix = '') {
    this.#values = values
    this.problems = problems
    this.#prefix = prefix
  }

  get isClean(): boolean {
    return Object.keys(this.problems).length === 0
  }

  /** The names of the present fields; null counts as absent. */
  get names(): string[] {
    return Object.keys(this.#values).filter((name) => this.optional(name) !== undefined)
  }

  /** Records a problem; the first problem of a field is kept. */
  fail(name: string, problem: string): void {
    this.problems[`${this.#prefix}${name}`] ??= problem
  }

  /** Returns the value of an optional field; null counts as absent. */
  optional(name: string): ExactJson | undefined {
    return (Object.hasOwn(this.#values, name) ? this.#values[name] : undefined) ?? undefined
  }

  /** Returns the value of a required field; undefined, with a problem recorded, when it is missing. */
  required(name: string): ExactJson | undefined {
    const value = this.optional(name)
    if (value === undefined) this.fail(name, "can't be blank")
    return value
  }

  /** Returns a required non-blank text; empty, with a problem recorded, when it is missing. */
  text(name: string): string {
    const value = this.required(name)
    if (value === undefined) return ''
    if (typeof value !== 'string') this.fail(name, 'must be a string')
    else if (value.trim() === '') this.fail(name, "can't be blank")
    else return value
    return ''
  }

  /** Returns an optional text. */
  optionalText(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined || typeof value === 'string') return value
    this.fail(name, 'must be a string')
    return undefined
  }

  /** Returns the fields of a required object. */
  requiredObject(name: string): Fields | undefined {
    return this.required(name) === undefined ? undefined : this.optionalObject(name)
  }

  /** Returns the fields of an optional object. */
  optionalObject(name: string): Fields | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    if (isJsonObject(value)) return new Fields(value, this.problems, `${this.#prefix}${name}.`)
    this.fail(name, 'must be an object')
    return undefined
  }

  /** Returns the fields of each object of a required non-empty list; the field names include the list index. */
  requiredObjects(name: string): Fields[] {
    const values = this.required(name)
    if (values === undefined) return []
    const objects = Array.isArray(values) ? values.filter(isJsonObject) : []
    if (Array.isArray(values) && values.length === 0) this.fail(name, "can't be blank")
    else if (!Array.isArray(values) || objects.length < values.length) this.fail(name, 'must be a list of objects')
    return objects.map((value, index) => new Fields(value, this.problems, `${this.#prefix}${name}.${index}.`))
  }
}

/** Joins all problems into one sentence, for responses with a single message (gap sheet, section 1, form B). */
export function problemText(problems: Problems): string {
  return Object.entries(problems)
    .map(([field, problem]) => `${field} ${problem}`)
    .join(', ')
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: ExactJson): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** Whether a text is an absolute http or https URL. */
function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text)
}

/** Smallest and largest amount of a method, both inclusive. */
type Limits = { readonly min: Decimal; readonly max: Decimal }

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

/** The URL for the webhooks of a link, and the Authorization value that they carry. */
export type WebhookTarget = { readonly endpointUrl: string; readonly authorizationHeader?: string }

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

/** A bank-state-branch number: six digits, with or without a hyphen in the middle. */
export const BSB = /^\d{3}-?\d{3}$/

/** A mobile number with its country's prefix, e.g. `+26774567890`. */
export const MOBILE_NUMBER = /^\+\d{7,15}$/
