import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import {
  checkParams,
  type Descriptors,
  type ParamRules,
  OPEN_AMOUNT_METHOD,
  payinMethodsOf,
  recordedAmount,
  type Method,
} from '../methods/methods.ts'
import { parseMoment } from '../state/clock.ts'
import type { LinkRequest, PayinTerms } from '../state/link.ts'
import type { SandboxSite } from '../state/sandbox-store.ts'
import { decimal, type Decimal } from '../values/decimal.ts'
import {
  MOBILE_NUMBER,
  Fields,
  type JsonObject,
  type Problems,
  limitProblem,
  optionalPositiveNumber,
  optionalTarget,
  positiveNumber,
  readEmail,
} from '../values/request-fields.ts'

/** A validated payin creation: the fields that it shares with a link, and its own. */
export type PayinRequest = {
  method: Method
  request: LinkRequest
  terms: PayinTerms
  /** When the payin expires; undefined when the request leaves the expiry to the payments API. */
  expiresAt: Date | undefined
}

/** Validates the body of a payin creation (gap sheet, section 9). */
export function readPayin(
  body: JsonObject,
  site: SandboxSite,
  now: Date,
): { payin: PayinRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const currency = readCurrency(fields, site)
  const method = readMethod(fields, site, currency)
  const name = fields.text('name')
  const terms: PayinTerms = {
    name,
    gst: readGst(fields, currency),
    externalId: fields.optionalText('external_id') ?? null,
    metadata: readMetadata(fields),
  }
  const request: LinkRequest = {
    currency,
    amount: recordedAmount(readAmount(fields, method), currency),
    description: fields.optionalText('description') ?? '',
    // The magic failures match the last name; a payin has a single name field.
    sender: { email: readEmail(fields), firstName: '', lastName: name.trim().split(' ').at(-1) ?? '' },
    methodCode: method?.code ?? null,
    expiresInSeconds: DEFAULT_LIFETIME_S,
    redirect: {},
    webhook: optionalTarget(fields, 'webhook_notification'),
    metaData: undefined,
  }
  const expiresAt = readExpiry(fields, now)
  if (method !== undefined) checkParams(fields, 'payin_method_params', payinParamRules(method))
  else fields.requiredObject('payin_method_params')
  return method !== undefined && fields.isClean
    ? { payin: { method, request, terms, expiresAt } }
    : { problems: fields.problems }
}

const ZERO = decimal('0')
const DEFAULT_LIFETIME_S = 3600
const SHORTEST_LIFETIME_MS = 15 * 60_000

function readCurrency(fields: Fields, site: SandboxSite): string {
  const currency = fields.text('currency')
  if (currency !== '' && !site.currencies.includes(currency)) fields.fail('currency', 'is not available for this site')
  return currency
}

function readMethod(fields: Fields, site: SandboxSite, currency: string): Method | undefined {
  const code = fields.text('payin_method_name')
  const method = payinMethodsOf(site.currencies).find((candidate) => candidate.code === code)
  if (method === undefined) fields.fail('payin_method_name', 'is not available for this site')
  else if (site.currencies.includes(currency) && method.currency !== currency)
    fields.fail('payin_method_name', 'is of another currency')
  return method
}

function readAmount(fields: Fields, method: Method | undefined): Decimal {
  const amount =
    method?.code === OPEN_AMOUNT_METHOD ? optionalPositiveNumber(fields, 'amount') : positiveNumber(fields, 'amount')
  const problem = amount && method && limitProblem(amount, method)
  if (problem !== undefined) fields.fail('amount', problem)
  return amount ?? ZERO
}

/** The tax applies to AUD only (docs/payments-api.md, section 1, rule 3). */
function readGst(fields: Fields, currency: string): boolean {
  const gst = fields.required('gst')
  if (gst !== undefined && typeof gst !== 'boolean') fields.fail('gst', 'must be a boolean')
  if (gst === true && currency !== 'AUD') fields.fail('gst', 'must be false for every currency but AUD')
  return gst === true
}

function readExpiry(fields: Fields, now: Date): Date | undefined {
  const text = fields.optionalText('expired_at')
  const expiresAt = text === undefined ? undefined : parseMoment(text)
  if (expiresAt === undefined) {
    if (text !== undefined) fields.fail('expired_at', 'is not a date')
  } else if (expiresAt.getTime() - now.getTime() < SHORTEST_LIFETIME_MS)
    fields.fail('expired_at', 'must be at least 15 minutes ahead')
  return expiresAt
}

function readMetadata(fields: Fields): ExactJson | undefined {
  fields.optionalObject('metadata')
  return fields.optional('metadata')
}

/** Returns the rules for `payin_method_params` of a method (gap sheet, section 8). */
export function payinParamRules(method: Method): ParamRules {
  if (method.kind === 'mobile_money') return { descriptors: { phone: 'string:Mandatory Mobile number' }, shapes: PHONE }
  return {
    descriptors: BY_METHOD[method.code] ?? ANY_METHOD,
    ...(method.currency === 'JPY' ? { shapes: { first_name: KATAKANA, last_name: KATAKANA } } : {}),
  }
}

const PHONE = { phone: MOBILE_NUMBER }

/** Full-width and half-width katakana, with the long-vowel and middle-dot marks. */
const KATAKANA = /^[\u30a0-\u30ff\uff66-\uff9f ]+$/

const ANY_METHOD: Descriptors = {
  user_id: 'string:Optional User id',
  product_name: 'string:Optional Product name',
}

const BY_METHOD: Readonly<Record<string, Descriptors>> = {
  au_alias_npp_aud: {
    callback_url: 'string:Mandatory Callback URL',
    first_name: 'string:Optional First name',
    last_name: 'string:Optional Last name',
    phone: 'string:Optional Phone',
    country_code: 'string:Optional Country code',
    state_code: 'string:Optional State code',
    address: 'string:Optional Address',
    city: 'string:Optional City',
    zip_code: 'string:Optional Zip code',
    ip_address: 'string:Optional IP address',
  },
  jp_bank_jpy: {
    user_id: 'string:Mandatory User id',
    user_name: 'string:Mandatory User name',
    first_name: 'string:Mandatory First name in katakana',
    last_name: 'string:Mandatory Last name in katakana',
    phone: 'string:Optional Phone',
    email: 'string:Optional Email',
    ip_address: 'string:Optional IP address',
  },
  kr_bank_krw: { user_name: 'string:Mandatory User name' },
  id_bank_qris_idr: {},
  vn_vietqr_vnd: {
    ip_address: 'string:Optional IP address',
    phone: 'string:Optional Phone',
    transliterate: 'boolean:Optional Write names without diacritics',
  },
}
