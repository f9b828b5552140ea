import { ExactNumber } from '../domain/exact-json.ts'
import type { ExactJson } from '../domain/exact-json.ts'
import { compareDecimals, decimal, decimalText, parseDecimal } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { Fields, isHttpUrl } from './fields.ts'
import type { JsonObject, Problems } from './fields.ts'
import type { LinkRequest, WebhookTarget } from './link.ts'
import { accepts, methodsOf, recordedAmount } from './methods.ts'
import type { Method } from './methods.ts'
import type { SandboxSite } from './sites.ts'

/**
 * Checks the body of a link creation (interface document, sections 2.4 and 8). Gives the request, or every problem by
 * field name; fields inside an object are named with a dot.
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
    webhook: readWebhook(fields),
    metaData: readMetaData(fields),
  }
  return fields.isClean ? { request } : { problems: fields.problems }
}

const ZERO = decimal('0')
const DEFAULT_EXPIRY_S = 1800
const SHORTEST_EXPIRY_S = 900
const LAST_MOMENT_MS = 8_640_000_000_000_000
const LONGEST_EMAIL = 254
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const SENDER_EXTRAS = ['address', 'city', 'postal_code', 'state', 'country_code']
/** What an HTTP header can carry without being changed on the way. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

function readMethod(fields: Fields, site: SandboxSite): Method | undefined {
  const code = fields.optionalText('payin_method_code')
  if (code === undefined) return undefined
  const method = methodsOf(site.currencies).find((candidate) => candidate.code === code)
  if (method === undefined) fields.fail('payin_method_code', 'is not available for this site')
  return method
}

function readAmount(fields: Fields, method: Method | undefined, currency: string): Decimal {
  const value = fields.required('amount')
  if (value === undefined) return ZERO
  const amount = value instanceof ExactNumber ? parseDecimal(value.text) : undefined
  if (amount === undefined) {
    fields.fail('amount', value instanceof ExactNumber ? 'is not a sensible number' : 'must be a number')
    return ZERO
  }
  const problem = amountProblem(amount, method, currency)
  if (problem !== undefined) fields.fail('amount', problem)
  return amount
}

function amountProblem(amount: Decimal, method: Method | undefined, currency: string): string | undefined {
  if (compareDecimals(amount, ZERO) <= 0) return 'must be greater than 0'
  if (method === undefined) {
    const isTaken = methodsOf([currency]).some((candidate) => accepts(candidate, amount))
    return isTaken ? undefined : 'is outside the limits of every method'
  }
  if (compareDecimals(amount, method.min) < 0) return `must be at least ${decimalText(method.min)}`
  return accepts(method, amount) ? undefined : `must be at most ${decimalText(method.max)}`
}

function readSender(fields: Fields): LinkRequest['sender'] {
  const sender = fields.requiredObject('sender_info')
  if (sender === undefined) return { email: '', firstName: '', lastName: '' }
  for (const name of SENDER_EXTRAS) sender.optionalText(name)
  const email = sender.text('email')
  if (email !== '' && (email.length > LONGEST_EMAIL || !EMAIL.test(email)))
    sender.fail('email', 'is not an email address')
  return { email, firstName: sender.text('first_name'), lastName: sender.text('last_name') }
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
  const success = redirect && readUrl(redirect, 'success')
  const failure = redirect && readUrl(redirect, 'failure')
  return { ...(success === undefined ? {} : { success }), ...(failure === undefined ? {} : { failure }) }
}

function readWebhook(fields: Fields): WebhookTarget | undefined {
  const notification = fields.optionalObject('webhook_notification')
  if (notification === undefined) return undefined
  if (notification.required('endpoint_url') === undefined) return undefined
  const endpointUrl = readUrl(notification, 'endpoint_url') ?? ''
  const authorizationHeader = notification.optionalText('authorization_header')
  if (authorizationHeader === undefined) return { endpointUrl }
  if (!HEADER_VALUE.test(authorizationHeader)) notification.fail('authorization_header', 'is not a header value')
  return { endpointUrl, authorizationHeader }
}

function readUrl(fields: Fields, name: string): string | undefined {
  const url = fields.optionalText(name)
  if (url !== undefined && !isHttpUrl(url)) fields.fail(name, 'is not a URL')
  return url
}

function readMetaData(fields: Fields): ExactJson | undefined {
  fields.optionalObject('meta_data')
  return fields.optional('meta_data')
}
