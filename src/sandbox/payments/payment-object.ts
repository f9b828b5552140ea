import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber, money, wireTime } from '../values/wire.ts'
import { methodOf, owedTotal, statusOf } from './link.ts'
import type { Link } from './link.ts'
import {
  externalId,
  hasToken,
  isRefundable,
  maskedTarget,
  paidAmount,
  payerName,
  paymentMethod,
  paymentUrl,
  refundInformation,
  senderDetails,
  webhookTarget,
} from './payment-facts.ts'
import type { PaymentStatus } from './status.ts'

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
