import { ExactNumber, type ExactJson } from 'payments-subgraph-lib/exact-json'
import { type Method, accepts, methodsOf, recordedAmount } from '../methods/methods.ts'
import {
  methodOf,
  owedTotal,
  statusOf,
  type Link,
  type PaymentStatus,
  type Payment,
  REFUND_STATUSES,
  type LinkRequest,
} from '../state/link.ts'
import type { SandboxStore, SandboxSite } from '../state/sandbox-store.ts'
import { jsonNumber, money, wireTime, decimal, type Decimal, parseDecimal } from '../values/decimal.ts'
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
import type { WebhookTarget } from '../values/request-fields.ts'

/** Overrides of the actual state: a late webhook contains an earlier status. */
export type StateOverrides = { status?: PaymentStatus; payCode?: Readonly<Record<string, string>> | null }

/**
 * The payment in the webhook format: a link in the configured form (`webhookForm`), a payin in the flat form, a gateway
 * payment in its own form (gap sheet, section 4). List and detail of links show the same object.
 */
export function paymentObject(
  store: SandboxStore,
  link: Link,
  overrides: StateOverrides = {},
): Record<string, unknown> {
  if (link.gateway !== undefined) return gatewayObject(link, overrides)
  return store.webhookForm === 'nested' && link.payin === undefined
    ? nestedObject(store, link, overrides)
    : flatObject(store, link, overrides)
}

/** The flat object of docs/payments-api.md, section 6.2; until the customer starts to pay, the uuid is the link's. */
export function flatObject(store: SandboxStore, link: Link, overrides: StateOverrides = {}): Record<string, unknown> {
  const { request, payment } = link
  const status = overrides.status ?? statusOf(link)
  return {
    uuid: payment?.uuid ?? link.uuid,
    name: payerName(link),
    email: request.sender.email,
    external_id: externalId(link),
    status,
    pay_code: overrides.payCode === undefined ? (payment?.payCode ?? null) : overrides.payCode,
    currency: request.currency,
    amount: money(request.amount),
    total: money(owedTotal(link)),
    paid_amount: money(paidAmount(link, status)),
    is_refundable: isRefundable(methodOf(link), status),
    payment_method: paymentMethod(methodOf(link)),
    expired_at: wireTime(link.expiresAt),
    webhook_notification: maskedTarget(webhookTarget(store, link)),
    refund_information: refundInformation(link, status),
    sender_details: senderDetails(payment),
    created_at: wireTime(payment?.startedAt ?? link.createdAt),
    ...(hasToken(payment, status) ? { token: { id: payment.token, type: 'card' } } : {}),
  }
}

/** The older nested form of the gap sheet, section 25.2, with the documented keys. */
function nestedObject(store: SandboxStore, link: Link, overrides: StateOverrides): Record<string, unknown> {
  const { request, payment } = link
  const status = overrides.status ?? statusOf(link)
  return {
    uuid: link.uuid,
    expires_at: link.expiresAt.toISOString(),
    payment_link_url: paymentUrl(store, link),
    payin_method_code: methodOf(link)?.code ?? null,
    amount: jsonNumber(request.amount),
    email: request.sender.email,
    description: request.description,
    webhook_notification: maskedTarget(webhookTarget(store, link)),
    meta_data: request.metaData ?? null,
    transaction_info: {
      uuid: payment?.uuid ?? link.uuid,
      name: payerName(link),
      currency: request.currency,
      total: jsonNumber(owedTotal(link)),
      paid_amount: jsonNumber(paidAmount(link, status)),
      status,
    },
  }
}

/** The callback of a gateway payment; only these three keys are known (gap sheet, section 4). */
function gatewayObject(link: Link, overrides: StateOverrides): Record<string, unknown> {
  const { paymentId, orderId } = link.gateway ?? {}
  return { payment_id: paymentId, order_id: orderId, status: overrides.status ?? statusOf(link) }
}

/** The URL of the hosted page. */
export function paymentUrl(store: SandboxStore, link: Link): string {
  return `${store.origin}/checkout/${link.uuid}`
}

/** The target for the webhooks of a link: its own, else the merchant's default, else undefined (docs/payments-api.md, 6.1). */
export function webhookTarget(store: SandboxStore, link: Link): WebhookTarget | undefined {
  return link.request.webhook ?? store.defaultWebhook
}

/** A webhook target as records show it: the Authorization value is masked (docs/payments-api.md, section 6.2). */
export function maskedTarget(target: WebhookTarget | undefined): Record<string, unknown> | null {
  if (target === undefined) return null
  return {
    endpoint_url: target.endpointUrl,
    authorization_header: target.authorizationHeader === undefined ? null : '****',
  }
}

/** Whether a payment can be refunded: mobile money never, a card payment from `waiting` on (gap sheet, section 27). */
export function isRefundable(method: Method | undefined, status: PaymentStatus): boolean {
  if (method === undefined || method.kind === 'mobile_money') return false
  return REFUNDABLE.has(status) || (status === 'waiting' && method.kind === 'card')
}

/** The paid amount in a status: zero until the funds arrive. */
export function paidAmount(link: Link, status: PaymentStatus): Decimal {
  return UNPAID.has(status) ? ZERO : paidInFull(link)
}

/** The amount that a successful payment brings: the total, unless a simulation named another amount. */
export function paidInFull(link: Link): Decimal {
  return link.payment?.paid ?? owedTotal(link)
}

/** The payer's full name. */
function payerName(link: Link): string {
  const { firstName, lastName } = link.request.sender
  return link.payin?.name ?? `${firstName} ${lastName}`
}

/** The merchant's own reference; a link has it in its metadata (gap sheet, section 5.2). */
export function externalId(link: Link): string | null {
  if (link.payin !== undefined) return link.payin.externalId
  const { metaData } = link.request
  const isObject = typeof metaData === 'object' && metaData !== null && !Array.isArray(metaData)
  const id = isObject && !(metaData instanceof ExactNumber) ? metaData['external_id'] : undefined
  return typeof id === 'string' ? id : null
}

/** The short form of the gap sheet, section 10, for cards and the alias; the method code for all others. */
export function paymentMethod(method: Method | undefined): string | null {
  if (method === undefined) return null
  if (method.kind === 'card') return 'card'
  return method.kind === 'alias' ? 'pay_id' : method.code
}

/** The refund amounts, in a refund status (docs/payments-api.md, section 6.2). */
function refundInformation(link: Link, status: PaymentStatus): Record<string, string> | null {
  const refund = link.payment?.refund
  if (refund === undefined || !REFUND_STATUSES.has(status)) return null
  return {
    total_amount: money(paidInFull(link)),
    refund_amount: money(status === 'return_pending' ? refund.requested : refund.refunded),
    description: refund.description,
  }
}

/** The card of a payment (docs/payments-api.md, section 6.2); all cards of the sandbox are the same. */
function senderDetails(payment: Payment | undefined): Record<string, unknown> | null {
  if (payment?.method.kind !== 'card') return null
  const country = payment.method.code.slice(0, 2).toUpperCase()
  return { card: { card_type: 'credit', card_brand: 'visa', card_last_4: '4242', card_country: country } }
}

/** Whether the payment shows its card token in this status (docs/payments-api.md, section 6.2). */
function hasToken(payment: Payment | undefined, status: PaymentStatus): payment is Payment {
  return payment?.method.kind === 'card' && (status === 'authorised' || status === 'waiting')
}

const ZERO = decimal('0')
const REFUNDABLE: ReadonlySet<PaymentStatus> = new Set([
  'received',
  'partially_refunded',
  'return_expired',
  'return_rejected',
])
const UNPAID: ReadonlySet<PaymentStatus> = new Set(['pending', 'authorised', 'waiting', 'failed', 'expired'])

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
