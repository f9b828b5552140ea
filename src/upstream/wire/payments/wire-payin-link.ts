import { z } from 'zod'
import type { Money } from '../../../domain/money/money.ts'
import type { ExactJson } from '../../../lib/exact-json.ts'
import {
  address,
  amount,
  countryCode,
  type Notification,
  notification,
  notificationBody,
  present,
  requestBody,
  boundedText,
} from '../values/request-schema.ts'
import { instant, isRecord, url, uuid } from '../values/wire-fields.ts'

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
  readonly externalId?: string | null
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

const body = z.strictObject({
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
  return requestBody(body, {
    amount: request.amount.value,
    description: request.description,
    sender_info: senderInfo(request.sender),
    payin_method_code: request.methodCode,
    expires_in: request.expiresInSeconds,
    redirect_url: redirect(request),
    meta_data: request.externalId == null ? null : { external_id: request.externalId },
    webhook_notification: notificationBody(request.webhook),
  })
}

const answer = z.object({
  uuid,
  payment_url: url,
  payment_link_url: url,
  expired_at: instant,
  expires_at: instant,
  expried_at: instant,
})

/**
 * Reads the answer to a link creation, in either spelling of its fields (gap sheet, C4 and C5); null if the link's uuid is
 * missing or the checkout URL is not https.
 */
export function readCreatedPayinLink(json: ExactJson): CreatedPayinLink | null {
  if (!isRecord(json)) return null
  const link = answer.parse(json)
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
