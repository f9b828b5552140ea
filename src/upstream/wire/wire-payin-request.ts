import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import { takesOpenAmount } from '../../domain/methods/payin-method.ts'
import type { Money } from '../../domain/money/money.ts'
import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import {
  decimalFromWire,
  instantFromWire,
  instantToWire,
  isRecord,
  recordReader,
  safeUrl,
  usableUuid,
} from './values/readers.ts'
import {
  type MethodFieldValues,
  type Notification,
  type RequestBody,
  address,
  amount,
  boundedText,
  countryCode,
  methodCode,
  methodFieldValues,
  notification,
  notificationBody,
  present,
  requestBody,
  sentence,
  uuidText,
} from './values/wire-fields.ts'
import { readPaymentReport } from './wire-payment.ts'

/** Input for a hosted checkout link (docs/payments-api.md, section 2.4). */
export type PayinLinkRequest = {
  readonly amount: Money
  readonly description: string
  readonly sender: PayinLinkSender
  /** Null or absent: the hosted page offers every method. */
  readonly methodCode?: string | null
  /** Seconds, at least 900; the payments API's own default is 1800. */
  readonly expiresInSeconds?: number
  readonly successUrl?: string | null
  readonly failureUrl?: string | null
  /** The merchant's own reference. Whether the payments API takes it here is not documented (gap sheet, section 5.2). */
  readonly reference?: string | null
  readonly webhook: Notification
}

export type PayinLinkSender = {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly address?: string | null
  readonly city?: string | null
  readonly postalCode?: string | null
  readonly state?: string | null
  readonly countryCode?: string | null
  /** Further fields under the payments API's own names; they cannot replace the fields above (gap sheet, section 5.2). */
  readonly extra?: Readonly<Record<string, string>>
}

export type CreatedPayinLink = {
  /** The payments API's uuid of the link. */
  readonly uuid: string
  readonly paymentUrl: string
  /** ISO 8601 in UTC, by the payments API's clock; null if the answer does not contain it. */
  readonly expiresAt: string | null
}

/** What the payments API has told about a link, and its clock when it did; null if the answer has no date. */
export type DatedPayinLink = CreatedPayinLink & { readonly answeredAt: Date | null }

const SENDER_LENGTH = 255
const DESCRIPTION_LENGTH = 1_000
const SHORTEST_EXPIRY_S = 900

const own = boundedText(SENDER_LENGTH)

const linkBody = z.strictObject({
  amount,
  description: boundedText(DESCRIPTION_LENGTH),
  sender_info: z
    .object({
      email: own,
      first_name: own,
      last_name: own,
      address: own.optional(),
      city: own.optional(),
      postal_code: own.optional(),
      state: own.optional(),
      country_code: countryCode.optional(),
    })
    .catchall(own),
  payin_method_code: boundedText(100).optional(),
  expires_in: z.int().min(SHORTEST_EXPIRY_S).optional(),
  redirect_url: z.strictObject({ success: address.optional(), failure: address.optional() }).optional(),
  meta_data: z.strictObject({ external_id: boundedText(255) }).optional(),
  webhook_notification: notification,
})

/**
 * Builds the body of a link creation; absent fields are omitted. `faults` names the invalid fields instead, without their values.
 * Never throws.
 */
export function toPayinLinkBody(request: PayinLinkRequest): { body: Record<string, unknown> } | { faults: string[] } {
  return requestBody(linkBody, {
    amount: request.amount.value,
    description: request.description,
    sender_info: senderInfo(request.sender),
    payin_method_code: request.methodCode,
    expires_in: request.expiresInSeconds,
    redirect_url: redirect(request),
    meta_data: request.reference == null ? null : { external_id: request.reference },
    webhook_notification: notificationBody(request.webhook),
  })
}

const readLinkAnswer = recordReader({
  uuid: usableUuid,
  payment_url: safeUrl,
  payment_link_url: safeUrl,
  expired_at: instantFromWire,
  expires_at: instantFromWire,
  expried_at: instantFromWire,
})

/**
 * Reads the answer to a link creation, in either spelling of its fields (gap sheet, C4 and C5); null if the link's uuid is
 * missing or the checkout URL is not https.
 */
export function readCreatedPayinLink(json: ExactJson): CreatedPayinLink | null {
  if (!isRecord(json)) return null
  const link = readLinkAnswer(json)
  const paymentUrl = link.payment_url ?? link.payment_link_url
  if (link.uuid === null || paymentUrl === null) return null
  return { uuid: link.uuid, paymentUrl, expiresAt: link.expired_at ?? link.expires_at ?? link.expried_at }
}

function senderInfo({ extra, ...sender }: PayinLinkSender): Record<string, unknown> {
  const named = {
    email: sender.email,
    first_name: sender.firstName,
    last_name: sender.lastName,
    address: sender.address,
    city: sender.city,
    postal_code: sender.postalCode,
    state: sender.state,
    country_code: sender.countryCode,
  }
  return { ...extra, ...present(named) }
}

function redirect({ successUrl, failureUrl }: PayinLinkRequest): Record<string, unknown> | null {
  const pages = present({ success: successUrl, failure: failureUrl })
  return Object.keys(pages).length === 0 ? null : pages
}

/** Input for a direct payin (gap sheet, section 9). */
export type WirePayinRequest = {
  /** Upper-case currency code. */
  readonly currency: string
  /** Plain digits; null only where the customer chooses the amount (`takesOpenAmount`). */
  readonly amount: string | null
  /** True only for an AU merchant processing AUD (docs/payments-api.md, section 1, rule 3). */
  readonly gst: boolean
  readonly customerName: string
  readonly customerEmail: string
  readonly methodCode: string
  /** The method's required fields, under the payments API's own names. */
  readonly methodFields: MethodFieldValues
  readonly description?: string | null | undefined
  readonly reference?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly webhook: Notification
}

/** How the sandbox completes a pending payin (gap sheet, section 11). */
export type PayinSimulation = {
  readonly uuid: string
  readonly status: 'completed' | 'failed'
  /** Plain digits; null for the amount of the payin. */
  readonly amount: string | null
}

const creation = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3,4}$/),
    gst: z.boolean(),
    amount: amount.optional(),
    name: boundedText(255),
    email: boundedText(255),
    external_id: boundedText(255).optional(),
    description: boundedText(1_000).optional(),
    payin_method_name: methodCode,
    payin_method_params: methodFieldValues,
    webhook_notification: notification,
    expired_at: z
      .date()
      .transform((expiry) => `${instantToWire(expiry)}.000+0000`)
      .optional(),
  })
  .refine((body) => body.amount !== undefined || takesOpenAmount(body.payin_method_name), { path: ['amount'] })
  .refine((body) => !body.gst || body.currency === 'AUD', { path: ['gst'] })

const simulation = z.strictObject({
  uuid: uuidText,
  amount: amount.optional(),
  status: z.enum(['completed', 'failed']),
})

/** Builds the body of a direct payin; `faults` names the invalid fields instead. Never throws. */
export function toPayinBody(request: WirePayinRequest): RequestBody {
  return requestBody(creation, {
    currency: request.currency,
    gst: request.gst,
    amount: request.amount,
    name: request.customerName,
    email: request.customerEmail,
    external_id: request.reference,
    description: request.description,
    payin_method_name: request.methodCode,
    payin_method_params: present(request.methodFields),
    webhook_notification: notificationBody(request.webhook),
    expired_at: request.expiresAt,
  })
}

/** Builds the body of a payin simulation; `faults` names the invalid fields instead. Never throws. */
export function toPayinSimulationBody(request: PayinSimulation): RequestBody {
  return requestBody(simulation, request)
}

/** Input for a refund (gap sheet, section 12). */
export type WireRefundRequest = {
  readonly uuid: string
  /** Plain digits; null for the whole amount. */
  readonly amount: string | null
  /** At least 5 characters. */
  readonly description: string
}

/** The answer to a refund. Amounts are plain digits; null if the answer does not contain them. */
export type RefundAnswer = {
  readonly report: PaymentReport | null
  readonly totalAmount: string | null
  readonly refundAmount: string | null
}

const body = z.strictObject({ uuid: uuidText, amount: amount.optional(), description: sentence(5, 500) })

/** Builds the body of a refund; `faults` names the invalid fields instead. Never throws. */
export function toRefundBody(request: WireRefundRequest): RequestBody {
  return requestBody(body, request)
}

const readRefundAnswer = recordReader({ total_amount: decimalFromWire, refund_amount: decimalFromWire })

/**
 * Reads the answer to a refund: two amounts, and the payment under `payin_request` (gap sheet, section 12), or the payment alone.
 * Null if the answer contains none of them.
 */
export function readRefund(json: ExactJson): RefundAnswer | null {
  if (!isRecord(json)) return null
  const { total_amount: totalAmount, refund_amount: refundAmount } = readRefundAnswer(json)
  const report = readPaymentReport(json['payin_request'] ?? json)
  return report === null && totalAmount === null && refundAmount === null ? null : { report, totalAmount, refundAmount }
}
