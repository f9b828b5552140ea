import { ExactNumber } from '../../lib/exact-json.ts'
import type { Method } from '../methods/methods.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { decimal } from '../values/decimal.ts'
import type { Decimal } from '../values/decimal.ts'
import { money } from '../values/wire.ts'
import { owedTotal } from './link.ts'
import type { Link, Payment, WebhookTarget } from './link.ts'
import { REFUND_STATUSES } from './status.ts'
import type { PaymentStatus } from './status.ts'

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
export function payerName(link: Link): string {
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
export function refundInformation(link: Link, status: PaymentStatus): Record<string, string> | null {
  const refund = link.payment?.refund
  if (refund === undefined || !REFUND_STATUSES.has(status)) return null
  return {
    total_amount: money(paidInFull(link)),
    refund_amount: money(status === 'return_pending' ? refund.requested : refund.refunded),
    description: refund.description,
  }
}

/** The card of a payment (docs/payments-api.md, section 6.2); all cards of the sandbox are the same. */
export function senderDetails(payment: Payment | undefined): Record<string, unknown> | null {
  if (payment?.method.kind !== 'card') return null
  const country = payment.method.code.slice(0, 2).toUpperCase()
  return { card: { card_type: 'credit', card_brand: 'visa', card_last_4: '4242', card_country: country } }
}

/** Whether the payment shows its card token in this status (docs/payments-api.md, section 6.2). */
export function hasToken(payment: Payment | undefined, status: PaymentStatus): payment is Payment {
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
