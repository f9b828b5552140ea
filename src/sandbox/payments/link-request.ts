import { ExactNumber, type ExactJson } from '../../lib/exact-json.ts'
import { accepts, methodsOf, recordedAmount, type Method } from '../methods/methods.ts'
import type { SandboxSite } from '../state/sandbox-store.ts'
import { decimal, parseDecimal, type Decimal } from '../values/decimal.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  limitProblem,
  optionalTarget,
  optionalUrl,
  positiveNumber,
  readEmail,
} from '../values/request-fields.ts'
import type { LinkRequest } from './link.ts'

/**
 * Validates the body of a link creation (docs/payments-api.md, sections 2.4 and 8). Returns the request, or every problem by
 * field name; nested field names are joined with a dot.
 */
export function readLinkRequest(
  body: JsonObject,
  site: SandboxSite,
  now: Date,
): { request: LinkRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const method = readMethod(fields, site)
  const currency = method?.currency ?? site.currencies[0] ?? ''
  const amount = readAmount(fields, method, currency)
  const request: LinkRequest = {
    currency,
    amount: recordedAmount(amount, currency),
    description: fields.text('description'),
    sender: readSender(fields),
    methodCode: method?.code ?? null,
    expiresInSeconds: readExpiry(fields, now),
    redirect: readRedirect(fields),
    webhook: optionalTarget(fields, 'webhook_notification'),
    metaData: readMetaData(fields),
  }
  return fields.isClean ? { request } : { problems: fields.problems }
}

const ZERO = decimal('0')
const DEFAULT_EXPIRY_S = 1800
const SHORTEST_EXPIRY_S = 900
const LAST_MOMENT_MS = 8_640_000_000_000_000
const SENDER_EXTRAS = ['address', 'city', 'postal_code', 'state', 'country_code']

function readMethod(fields: Fields, site: SandboxSite): Method | undefined {
  const code = fields.optionalText('payin_method_code')
  if (code === undefined) return undefined
  const method = methodsOf(site.currencies).find((candidate) => candidate.code === code)
  if (method === undefined) fields.fail('payin_method_code', 'is not available for this site')
  return method
}

function readAmount(fields: Fields, method: Method | undefined, currency: string): Decimal {
  const amount = positiveNumber(fields, 'amount')
  if (amount === undefined) return ZERO
  const problem = amountProblem(amount, method, currency)
  if (problem !== undefined) fields.fail('amount', problem)
  return amount
}

function amountProblem(amount: Decimal, method: Method | undefined, currency: string): string | undefined {
  if (method !== undefined) return limitProblem(amount, method)
  const isTaken = methodsOf([currency]).some((candidate) => accepts(candidate, amount))
  return isTaken ? undefined : 'is outside the limits of every method'
}

function readSender(fields: Fields): LinkRequest['sender'] {
  const sender = fields.requiredObject('sender_info')
  if (sender === undefined) return { email: '', firstName: '', lastName: '' }
  for (const name of SENDER_EXTRAS) sender.optionalText(name)
  return { email: readEmail(sender), firstName: sender.text('first_name'), lastName: sender.text('last_name') }
}

function readExpiry(fields: Fields, now: Date): number {
  const value = fields.optional('expires_in')
  if (value === undefined) return DEFAULT_EXPIRY_S
  const seconds = value instanceof ExactNumber ? parseDecimal(value.text) : undefined
  if (seconds === undefined || seconds.scale > 0) fields.fail('expires_in', 'must be an integer')
  else if (seconds.units < BigInt(SHORTEST_EXPIRY_S)) fields.fail('expires_in', `must be at least ${SHORTEST_EXPIRY_S}`)
  else if (now.getTime() + Number(seconds.units) * 1000 > LAST_MOMENT_MS) fields.fail('expires_in', 'is too large')
  else return Number(seconds.units)
  return DEFAULT_EXPIRY_S
}

function readRedirect(fields: Fields): LinkRequest['redirect'] {
  const redirect = fields.optionalObject('redirect_url')
  const success = redirect && optionalUrl(redirect, 'success')
  const failure = redirect && optionalUrl(redirect, 'failure')
  return { ...(success === undefined ? {} : { success }), ...(failure === undefined ? {} : { failure }) }
}

function readMetaData(fields: Fields): ExactJson | undefined {
  fields.optionalObject('meta_data')
  return fields.optional('meta_data')
}
