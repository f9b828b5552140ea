import { domainToUnicode } from 'node:url'
import {
  GraphQLError,
  GraphQLScalarType,
  Kind,
  type ValueNode,
  type ObjectValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { isDay } from 'payments-subgraph-lib/calendar'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'

/** Maximum length of a URL; all common browsers and proxies support it. */
const MAX_URL = 2_048
/** URL parsers correct some invalid input. A URL that is passed on unchanged must be valid without correction. */
const PLAIN_URL = /^https?:\/\/[^\s\\\p{Cc}]+$/iu

const decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  parseValue: (value) => readDecimal(value),
  parseLiteral: literalReader((node) => readDecimal(literalText(node))),
  serialize: (value) => String(value),
})

const currencyCode = new GraphQLScalarType<string, string>({
  name: 'CurrencyCode',
  parseValue: (value) => readCurrency(value),
  parseLiteral: literalReader((node) => readCurrency(node.kind === Kind.STRING ? node.value : null)),
  serialize: (value) => String(value),
})

/** Creates the scalars of the schema. Without `production`, `HttpsUrl` also accepts plain http to a loopback host. */
export function createScalars({ production }: { production: boolean }) {
  const readUrl = (value: unknown): string => readHttpsUrl(value, production)
  return {
    DateTime: dateTimeScalar,
    LocalDate: localDateScalar,
    JSONObject: jsonObjectScalar,
    Decimal: decimal,
    CurrencyCode: currencyCode,
    HttpsUrl: new GraphQLScalarType<string, string>({
      name: 'HttpsUrl',
      parseValue: readUrl,
      parseLiteral: literalReader((node) => readUrl(node.kind === Kind.STRING ? node.value : null)),
      serialize: (value) => String(value),
    }),
  }
}

/** Returns the reader of a scalar's literals, whose errors have the place of the literal. */
function literalReader<Value>(read: (node: ValueNode, variables: Variables) => Value) {
  return (node: ValueNode, variables: Variables): Value => {
    try {
      return read(node, variables)
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error
    }
  }
}

/** Returns a decimal as text. Accepts only exact numbers: safe integers, and strings or document literals of at most 40 characters. */
function readDecimal(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'string' && value.length <= 40) return value
  throw new GraphQLError('Decimal must be a string of plain digits such as "1250.50".')
}

function literalText(node: ValueNode): unknown {
  return node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : null
}

function readCurrency(value: unknown): string {
  if (typeof value === 'string' && /^[A-Z]{3,4}$/.test(value)) return value
  throw new GraphQLError('CurrencyCode must be an upper-case code such as "AUD".')
}

function readHttpsUrl(value: unknown, production: boolean): string {
  const plain = typeof value === 'string' && value.length <= MAX_URL && PLAIN_URL.test(value)
  const url = plain ? parseUnmended(value) : null
  const plainAllowed = url?.protocol === 'http:' && !production && isLoopbackHost(url.hostname)
  if (url !== null && (url.protocol === 'https:' || plainAllowed) && url.username === '' && url.password === '')
    return String(value)
  throw new GraphQLError('HttpsUrl must be an absolute https URL without credentials.')
}

/**
 * Returns the parsed URL; null if parsing changed the host. Letters of any script are allowed. Other parsers may derive a different
 * host from a text that needs correction: 2130706433, 0x7f.1 and full-width digits are IP addresses to some and names to others.
 */
function parseUnmended(text: string): URL | null {
  const url = URL.parse(text)
  if (url === null) return null
  const written = text.toLowerCase()
  const hosts = [url.hostname, domainToUnicode(url.hostname)]
  return hosts.some((host) => host !== '' && written.startsWith(`${url.protocol}//${host}`)) ? url : null
}

/** An instant of RFC 3339, without leap seconds; the first group is its date. */
const INSTANT =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The format of `Date.toISOString`, which all stored instants have. Days 29 to 31 do not match: they need the calendar check. */
const STORED_INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** An instant: parsed to a `Date`, serialised in UTC with milliseconds. */
const dateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) =>
    typeof value === 'string' && STORED_INSTANT.test(value) ? value : readInstant(value).toISOString(),
  parseValue: readInstant,
  parseLiteral: literalReader((node) => readInstant(textOf(node, 'DateTime'))),
})

/** A calendar date, as a string. */
const localDateScalar = new GraphQLScalarType<string, string>({
  name: 'LocalDate',
  serialize: readDate,
  parseValue: readDate,
  parseLiteral: literalReader((node) => readDate(textOf(node, 'LocalDate'))),
})

function readInstant(value: unknown): Date {
  const date = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined
  const instant = date !== undefined && isDay(date) ? new Date(String(value)) : value
  if (instant instanceof Date && !Number.isNaN(instant.getTime())) return instant
  throw new GraphQLError('DateTime must be an instant of RFC 3339 such as "2026-01-31T09:30:00Z".')
}

function readDate(value: unknown): string {
  if (typeof value === 'string' && isDay(value)) return value
  throw new GraphQLError('LocalDate must be a day of the calendar such as "2026-01-31".')
}

function textOf(node: ValueNode, scalar: string): string {
  if (node.kind === Kind.STRING) return node.value
  throw new GraphQLError(`${scalar} must be a string.`)
}

type Variables = Record<string, unknown> | null | undefined

/** Levels of objects and lists that a client may nest: far below what the stack allows to whatever reads them. */
const MAX_LEVELS = 16
/** Length of an object of a client, as JSON. */
const MAX_CHARACTERS = 16_384

/** A JSON object with any names and values. One of a client has bounds, and nothing in it that JSON cannot express. */
const jsonObjectScalar = new GraphQLScalarType<object, object>({
  name: 'JSONObject',
  serialize: readObject,
  parseValue: readBoundedObject,
  parseLiteral: literalReader((node, variables) =>
    readBoundedObject(node.kind === Kind.OBJECT ? objectOf(node, variables) : null),
  ),
})

function readObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new GraphQLError('JSONObject must be an object.')
}

function readBoundedObject(value: unknown): object {
  const object = readObject(value)
  const problem = jsonProblem(object)
  if (problem !== null) throw new GraphQLError(`JSONObject must ${problem}.`)
  return object
}

function jsonProblem(object: object): string | null {
  const problem = partProblem(object, [])
  if (problem !== null) return problem
  return JSON.stringify(object).length > MAX_CHARACTERS ? `be at most ${MAX_CHARACTERS} characters long as JSON` : null
}

/**
 * Finds a number that JSON cannot express, as a client's 1e999 becomes when it is read, one whose last digits are lost when it is read, such as an
 * account number, and too many levels. `path` is that of the value.
 */
function partProblem(value: unknown, path: readonly string[]): string | null {
  if (typeof value === 'number' && !Number.isFinite(value))
    return `not contain a number that is not finite, as ${path.join('.')} is`
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `not contain a number of more than 15 digits, which is not exact, as ${path.join('.')} is: write it as a string`
  if (typeof value !== 'object' || value === null) return null
  if (path.length >= MAX_LEVELS) return `have at most ${MAX_LEVELS} levels`
  for (const [name, part] of Object.entries(value)) {
    const problem = partProblem(part, [...path, name])
    if (problem !== null) return problem
  }
  return null
}

function objectOf(node: ObjectValueNode, variables: Variables): object {
  // Without a prototype, so that `__proto__` is an ordinary name.
  const object = Object.create(null) as Record<string, unknown>
  for (const { name, value } of node.fields) object[name.value] = valueOf(value, variables)
  return object
}

function valueOf(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.OBJECT) return objectOf(node, variables)
  if (node.kind === Kind.LIST) return node.values.map((value) => valueOf(value, variables))
  if (node.kind === Kind.ENUM)
    throw new GraphQLError(`JSONObject must not contain ${node.value}, which is not a JSON value.`)
  return valueFromASTUntyped(node, variables)
}
