import * as z from 'zod'
import { V1_CURRENCY, V1_PAYOUT_NAMES, type V1PayoutNames } from '../domain/payouts/payout-rules.ts'
import { Secret } from '../keys/key-ring.ts'
import { bad, good, type Parsed, type Parser } from './parsers.ts'

/** One site of the merchant account: a set of credentials and its currencies (docs/payments-api.md, section 5). */
export type SiteConfig = {
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret
  readonly currencies: readonly string[]
  /** Whether it pays out in AUD by v1, with names of fields that differ from those assumed (gap sheet, section 20). */
  readonly v1Payouts?: boolean | Partial<V1PayoutNames> | undefined
  /** Paths that differ from those assumed (gap sheet, sections 12 and 21). */
  readonly paths?: { readonly cancelPayin?: string; readonly lookupBankByImage?: string }
}

const HEADER_VALUE = /^[\x21-\x7e]{1,512}$/

const credential = z
  .string('must be a text')
  .regex(HEADER_VALUE, 'must be visible ASCII characters without white space')

const fieldName = z.string('must be a text').regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be made of a-z, 0-9 and _')

const V1_MESSAGE = 'must be true, false, or an object of names for transactions, notification and externalId'

const v1Names = z.strictObject(
  { transactions: fieldName.optional(), notification: fieldName.optional(), externalId: fieldName.optional() },
  {
    error: (issue) => (issue.code === 'unrecognized_keys' ? 'has a field that is not known' : V1_MESSAGE),
  },
)

const urlPath = z
  .string('must be a text')
  .regex(/^(?:\/[A-Za-z0-9_-]+)+$/, 'must be a path of letters, digits, _ and -')

const PATHS_MESSAGE = 'must be an object of paths for cancelPayin and lookupBankByImage'

const siteSchema = z.strictObject(
  {
    id: z.string('must be a text').regex(/^[a-z0-9-]{1,64}$/, 'must be made of a-z, 0-9 and -'),
    appId: credential,
    secretKey: credential,
    currencies: z
      .array(
        z.string('must be a text').regex(/^[A-Z]{3,4}$/, 'must be a code of 3 or 4 capital letters'),
        'must be a list',
      )
      .min(1, 'must name at least one currency'),
    v1Payouts: z.union([z.boolean(), v1Names], V1_MESSAGE).optional(),
    paths: z
      .strictObject({ cancelPayin: urlPath.exactOptional(), lookupBankByImage: urlPath.exactOptional() }, PATHS_MESSAGE)
      .optional(),
  },
  { error: (issue) => (issue.code === 'unrecognized_keys' ? 'has a field that is not known' : 'must be an object') },
)

const sitesSchema = z.array(siteSchema, 'must be a JSON list').min(1, 'must name at least one site')

type Site = z.infer<typeof siteSchema>

/** Parses the JSON list of sites. Messages name the location of a fault, and contain nothing of the value. */
export function parseSites(text: string): Parsed<readonly SiteConfig[]> {
  const sites = sitesSchema.safeParse(jsonOf(text))
  if (!sites.success) return bad(sites.error.issues.map(placed).join('; '))
  const message = clashIn(sites.data) ?? v1Fault(sites.data)
  if (message !== null) return bad(message)
  return good(sites.data.map(withSecret))
}

function withSecret({ id, appId, secretKey, currencies, v1Payouts: v1, paths }: Site): SiteConfig {
  return {
    id,
    appId,
    secretKey: new Secret(secretKey),
    currencies,
    ...(v1 === undefined ? {} : { v1Payouts: v1 as SiteConfig['v1Payouts'] }),
    ...(paths === undefined ? {} : { paths }),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function placed({ path, message }: z.core.$ZodIssue): string {
  const [entry, ...fields] = path
  if (typeof entry !== 'number') return message
  const field = fields.map((part) => (typeof part === 'number' ? `entry ${part + 1}` : String(part))).join(' ')
  return `entry ${entry + 1}${field === '' ? '' : `, ${field},`} ${message}`
}

/** v1 payouts are in AUD alone, and a name must not be that of another field. */
function v1Fault(sites: readonly Site[]): string | null {
  for (const [index, { currencies, v1Payouts: v1 = false }] of sites.entries()) {
    if (v1 === false) continue
    if (!currencies.includes(V1_CURRENCY)) return `entry ${index + 1}, v1Payouts, needs the currency ${V1_CURRENCY}`
    const names = [...OTHER_V1_NAMES, ...Object.values({ ...V1_PAYOUT_NAMES, ...(v1 === true ? {} : v1) })]
    if (new Set(names).size < names.length) return `entry ${index + 1}, v1Payouts, names a field twice`
  }
  return null
}

const OTHER_V1_NAMES = ['scheduled_at', 'description', 'is_retry']

/** Two sites may serve the same currency (the first is used, unless a caller names another), but ids must be unique. */
function clashIn(sites: readonly Site[]): string | null {
  const second = sites.findIndex((site, index) => sites.findIndex(({ id }) => id === site.id) < index)
  return second === -1 ? null : `entry ${second + 1} has the id of an earlier entry`
}

/** One secret or more. */
export type Secrets = readonly [Secret, ...Secret[]]

/** Minimum length of a secret, and whether it must be valid in a header. */
export type SecretRules = { readonly minimum: number; readonly unit: 'bytes' | 'characters'; readonly header?: boolean }

/** White space, control characters, and other invisible characters. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}]/u
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** Parses a single secret. Messages name the rule that is broken, and contain nothing of the secret. */
export function secretOf(rules: SecretRules): Parser<Secret> {
  return (text) => {
    const message = wrongWith(text, rules)
    return message === null ? good(new Secret(text)) : bad(message)
  }
}

/** Parses a comma-separated list of secrets without duplicates. */
export function secretsOf(rules: SecretRules): Parser<Secrets> {
  return (text) => {
    const entries = text.split(',')
    for (const [index, entry] of entries.entries()) {
      const message = wrongWith(entry, rules)
      if (message !== null) return bad(`entry ${index + 1} ${message}`)
    }
    return withoutRepeats(entries)
  }
}

function withoutRepeats(entries: readonly string[]): Parsed<Secrets> {
  const repeat = entries.findIndex((entry, index) => entries.indexOf(entry) !== index)
  if (repeat !== -1) return bad(`entry ${repeat + 1} repeats an earlier entry`)
  const [first = '', ...others] = entries
  return good([new Secret(first), ...others.map((entry) => new Secret(entry))])
}

function wrongWith(secret: string, { minimum, unit, header }: SecretRules): string | null {
  if (secret === '') return 'is empty'
  if (INVISIBLE.test(secret)) return 'must not contain white space, line breaks or invisible characters'
  if (header && !VISIBLE_ASCII.test(secret))
    return 'must be made of visible ASCII characters, since it travels in a header'
  const length = unit === 'bytes' ? Buffer.byteLength(secret, 'utf8') : secret.length
  return length < minimum ? `must have at least ${minimum} ${unit}` : null
}
