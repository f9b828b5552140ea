import { ExactNumber } from '../domain/exact-json.ts'
import { decimal, decimalText } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { methodOf, statusOf } from './link.ts'
import type { Link, Payment, WebhookTarget } from './link.ts'
import type { Method } from './methods.ts'
import { REFUND_STATUSES } from './status.ts'
import type { PaymentStatus } from './status.ts'
import type { World } from './world.ts'

/** What may be told differently from the truth: a late webhook tells of an earlier status. */
export type TellOptions = { status?: PaymentStatus; payCode?: Readonly<Record<string, string>> | null }

/** The address for the webhooks of a link: its own, else the merchant's default, else none (interface document, 6.1). */
export function webhookTarget(world: World, link: Link): WebhookTarget | undefined {
  return link.request.webhook ?? world.defaultWebhook
}

/** The payment as webhooks, list and detail show it, in the form that this sandbox was started with. */
export function paymentObject(world: World, link: Link, told: TellOptions = {}): Record<string, unknown> {
  return world.webhookForm === 'nested' ? nestedObject(world, link, told) : flatObject(world, link, told)
}

/** The flat object of the interface document, section 6.2; the uuid is the link's until the customer has begun. */
function flatObject(world: World, link: Link, told: TellOptions): Record<string, unknown> {
  const { request, payment } = link
  const status = told.status ?? statusOf(link)
  return {
    uuid: payment?.uuid ?? link.uuid,
    name: `${request.sender.firstName} ${request.sender.lastName}`,
    email: request.sender.email,
    external_id: externalId(link),
    status,
    pay_code: told.payCode === undefined ? (payment?.payCode ?? null) : told.payCode,
    currency: request.currency,
    amount: money(request.amount),
    total: money(request.amount),
    paid_amount: money(paidAmount(link, status)),
    is_refundable: isRefundable(methodOf(link), status),
    payment_method: paymentMethod(methodOf(link)),
    expired_at: wireTime(link.expiresAt),
    webhook_notification: notification(world, link),
    refund_information: refundInformation(link, status),
    sender_details: senderDetails(payment),
    created_at: wireTime(payment?.startedAt ?? link.createdAt),
    ...(hasToken(payment, status) ? { token: { id: payment.token, type: 'card' } } : {}),
  }
}

/** The older nested form of the gap sheet, section 25.2, with the keys that are documented there. */
function nestedObject(world: World, link: Link, told: TellOptions): Record<string, unknown> {
  const { request, payment } = link
  const status = told.status ?? statusOf(link)
  return {
    uuid: link.uuid,
    expires_at: link.expiresAt.toISOString(),
    payment_link_url: paymentUrl(world, link),
    payin_method_code: methodOf(link)?.code ?? null,
    amount: jsonNumber(request.amount),
    email: request.sender.email,
    description: request.description,
    webhook_notification: notification(world, link),
    meta_data: request.metaData ?? null,
    transaction_info: {
      uuid: payment?.uuid ?? link.uuid,
      name: `${request.sender.firstName} ${request.sender.lastName}`,
      currency: request.currency,
      total: jsonNumber(request.amount),
      paid_amount: jsonNumber(paidAmount(link, status)),
      status,
    },
  }
}

/** Where the customer pays. */
export function paymentUrl(world: World, link: Link): string {
  return `${world.origin}/checkout/${link.uuid}`
}

/** An amount as a JSON string of the service: at least one digit after the point. */
export function money(amount: Decimal): string {
  return decimalText(amount, 1)
}

/** An amount as a JSON number with its own digits. */
export function jsonNumber(amount: Decimal): ExactNumber {
  return new ExactNumber(decimalText(amount))
}

/** Mobile money cannot be paid back; a card payment can be from `waiting` on (gap sheet, section 27). */
export function isRefundable(method: Method | undefined, status: PaymentStatus): boolean {
  if (method === undefined || method.kind === 'mobile_money') return false
  return REFUNDABLE.has(status) || (status === 'waiting' && method.kind === 'card')
}

const ZERO = decimal('0')
const REFUNDABLE: ReadonlySet<PaymentStatus> = new Set([
  'received',
  'partially_refunded',
  'return_expired',
  'return_rejected',
])
const UNPAID: ReadonlySet<PaymentStatus> = new Set(['pending', 'authorised', 'waiting', 'failed', 'expired'])

function paidAmount(link: Link, status: PaymentStatus): Decimal {
  return UNPAID.has(status) ? ZERO : link.request.amount
}

function externalId(link: Link): string | null {
  const { metaData } = link.request
  const isObject = typeof metaData === 'object' && metaData !== null && !Array.isArray(metaData)
  const id = isObject && !(metaData instanceof ExactNumber) ? metaData['external_id'] : undefined
  return typeof id === 'string' ? id : null
}

/** The short forms of the gap sheet, section 10, for cards and the alias; the method code for all others. */
function paymentMethod(method: Method | undefined): string | null {
  if (method === undefined) return null
  if (method.kind === 'card') return 'card'
  return method.kind === 'alias' ? 'pay_id' : method.code
}

function notification(world: World, link: Link): Record<string, unknown> | null {
  const target = webhookTarget(world, link)
  if (target === undefined) return null
  return {
    endpoint_url: target.endpointUrl,
    authorization_header: target.authorizationHeader === undefined ? null : '****',
  }
}

function refundInformation(link: Link, status: PaymentStatus): Record<string, string> | null {
  const refund = link.payment?.refund
  if (refund === undefined || !REFUND_STATUSES.has(status)) return null
  return {
    total_amount: money(link.request.amount),
    refund_amount: money(status === 'return_pending' ? refund.requested : refund.refunded),
    description: refund.description,
  }
}

function senderDetails(payment: Payment | undefined): Record<string, unknown> | null {
  if (payment?.method.kind !== 'card') return null
  const country = payment.method.code.slice(0, 2).toUpperCase()
  return { card: { card_type: 'credit', card_brand: 'visa', card_last_4: '4242', card_country: country } }
}

function hasToken(payment: Payment | undefined, status: PaymentStatus): payment is Payment {
  return payment?.method.kind === 'card' && (status === 'authorised' || status === 'waiting')
}

/** The service's spelling of a moment, e.g. `2025-05-28T04:22:21.567+0000` (gap sheet, section 25.1). */
function wireTime(moment: Date): string {
  return moment.toISOString().replace('Z', '+0000')
}
