import { domainToUnicode } from 'node:url'
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { dateTimeScalar, localDateScalar } from './date-scalars.ts'
import { jsonObjectScalar } from './json-object-scalar.ts'

/** Maximum length of a URL; all common browsers and proxies support it. */
const MAX_URL = 2_048
/** URL parsers correct some invalid input. A URL that is passed on unchanged must be valid without correction. */
const PLAIN_URL = /^https?:\/\/[^\s\\\p{Cc}]+$/iu
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  parseValue: (value) => readDecimal(value),
  parseLiteral: (node) => readDecimal(literalText(node)),
  serialize: (value) => String(value),
})

const currencyCode = new GraphQLScalarType<string, string>({
  name: 'CurrencyCode',
  parseValue: (value) => readCurrency(value),
  parseLiteral: (node) => readCurrency(node.kind === Kind.STRING ? node.value : null),
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
      parseLiteral: (node) => readUrl(node.kind === Kind.STRING ? node.value : null),
      serialize: (value) => String(value),
    }),
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
  const plainAllowed = url?.protocol === 'http:' && !production && LOOPBACK.test(url.hostname)
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
