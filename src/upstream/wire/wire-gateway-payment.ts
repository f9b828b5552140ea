import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import {
  gatewayStatus,
  type GatewayPaymentReport,
  type GatewayContact,
  type GatewayItem,
  type GatewayRequest,
} from '../../domain/gateway/gateway-payment.ts'
import { decimalFromWire, isRecord, label, recordReader, safeUrl, status } from './values/readers.ts'
import {
  type Notification,
  type RequestBody,
  address,
  amount,
  boundedText,
  countryCode,
  notification,
  notificationBody,
  present,
  requestBody,
} from './values/wire-fields.ts'

/** Input for a payment on the v1 gateway page (gap sheet, section 4). */
export type GatewayPaymentRequest = Omit<GatewayRequest, 'idempotencyKey'> & { readonly webhook: Notification }

/** The answer to the creation of a gateway payment. */
export type StartedGatewayPayment = {
  /** The upstream `payment_id`. */
  readonly paymentId: string
  readonly reference: string
  /** Where to send the customer. */
  readonly redirectUrl: string
}

const TEXT_LENGTH = 255

const own = boundedText(TEXT_LENGTH)

const contact = z.strictObject({
  first_name: own,
  last_name: own,
  phone: own,
  email: own,
  company: own.optional(),
  country_code: countryCode.optional(),
  state: own.optional(),
  postal_code: own.optional(),
  city: own.optional(),
  address: own.optional(),
})

const item = z.strictObject({
  id: own,
  name: own,
  variant_id: own.optional(),
  image_url: address.optional(),
  quantity: z.int().min(1).transform(String),
  price: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,2})?$/)
    .transform(twoDecimals),
  enable_cashback: z.boolean().optional(),
})

const creation = z.strictObject({
  order_id: own,
  amount,
  description: boundedText(1_000),
  order_success_url: address,
  payment_gateway_notification: notification,
  order_details: z.strictObject({
    billing_details: contact,
    shipping_details: contact.optional(),
    items: z.array(item).optional(),
  }),
})

/** Builds the body of a gateway payment; `faults` names the invalid fields instead. Never throws. */
export function toGatewayPaymentBody(request: GatewayPaymentRequest): RequestBody {
  return requestBody(creation, {
    order_id: request.reference,
    amount: request.amount.value,
    description: request.description,
    order_success_url: request.successUrl,
    payment_gateway_notification: notificationBody(request.webhook),
    order_details: present({
      billing_details: contactBody(request.billing),
      shipping_details: request.shipping && contactBody(request.shipping),
      items: request.items?.map(itemBody),
    }),
  })
}

const paymentId = (json: unknown) => /^\d{1,20}$/.exec(decimalFromWire(json) ?? '')?.[0] ?? null

const readAnswer = recordReader({
  payment_id: paymentId,
  order_id: label(TEXT_LENGTH),
  redirect_url: safeUrl,
})

/**
 * Reads the answer to a gateway payment (gap sheet, section 4); `reference` is null if the answer does not repeat it. Null if the
 * payment id is missing or the redirect URL is not https.
 */
export function readGatewayPayment(
  json: ExactJson,
): (Omit<StartedGatewayPayment, 'reference'> & { reference: string | null }) | null {
  if (!isRecord(json)) return null
  const { payment_id: id, order_id: reference, redirect_url: redirectUrl } = readAnswer(json)
  return id === null || redirectUrl === null ? null : { paymentId: id, reference, redirectUrl }
}

const readCallback = recordReader({ payment_id: paymentId, order_id: label(TEXT_LENGTH), status })

/**
 * Reads the callback of a gateway payment (gap sheet, section 4), of which three fields are known. Null without a usable payment id and status.
 * Nothing else is read: it may name the payer.
 */
export function readGatewayCallback(json: ExactJson): GatewayPaymentReport | null {
  if (!isRecord(json)) return null
  const { payment_id: id, order_id: reference, status: statusRaw } = readCallback(json)
  if (id === null || statusRaw === null) return null
  return { id, reference, statusRaw, status: gatewayStatus(statusRaw) }
}

function contactBody(given: GatewayContact): Record<string, unknown> {
  return present({
    first_name: given.firstName,
    last_name: given.lastName,
    phone: given.phone,
    email: given.email,
    company: given.company,
    country_code: given.countryCode,
    state: given.state,
    postal_code: given.postalCode,
    city: given.city,
    address: given.address,
  })
}

function itemBody(given: GatewayItem): Record<string, unknown> {
  return present({
    id: given.id,
    name: given.name,
    variant_id: given.variantId,
    image_url: given.imageUrl,
    quantity: given.quantity,
    price: given.price,
    enable_cashback: given.enableCashback,
  })
}

/** The payments API expects prices as strings with two decimals (gap sheet, section 4). */
function twoDecimals(price: string): string {
  const [whole = '', decimals = ''] = price.split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}
