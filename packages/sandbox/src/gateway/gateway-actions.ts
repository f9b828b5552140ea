import { randomBytes } from 'node:crypto'
import { recordedAmount } from '../methods/methods.ts'
import { createLink } from '../payments/link-actions.ts'
import { paymentUrl } from '../payments/payment-object.ts'
import type { Link, LinkRequest } from '../state/link.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { decimal } from '../values/decimal.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  positiveNumber,
  readEmail,
  requiredTarget,
  requiredUrl,
} from '../values/request-fields.ts'

/** Stores a new gateway payment. Returns undefined when the site has used its `order_id` before (gap sheet, section 4). */
export function createGatewayPayment(
  store: SandboxStore,
  site: SandboxSite,
  { orderId, request }: { orderId: string; request: LinkRequest },
): Link | undefined {
  const all = [...store.links.values()].filter(({ gateway }) => gateway !== undefined)
  if (all.some(({ siteId, gateway }) => siteId === site.id && gateway?.orderId === orderId)) return undefined
  return createLink(store, site, request, { gateway: { orderId, paymentId: all.length + 1 } })
}

/** The URL for the payer; its query carries a long `payment` value (gap sheet, section 4). */
export function gatewayUrl(store: SandboxStore, link: Link): string {
  const payment = Buffer.from(JSON.stringify({ uuid: link.uuid, ...link.gateway })).toString('base64url')
  return `${paymentUrl(store, link)}?payment=${payment}`
}

/** Validates the body of a gateway payment (gap sheet, section 4). */
export function readGatewayRequest(
  body: JsonObject,
  site: SandboxSite,
): { orderId: string; request: LinkRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const currency = site.currencies[0] ?? ''
  const orderId = fields.text('order_id')
  const request: LinkRequest = {
    currency,
    amount: recordedAmount(positiveNumber(fields, 'amount') ?? decimal('0'), currency),
    description: fields.text('description'),
    sender: readOrderDetails(fields),
    methodCode: null,
    expiresInSeconds: LIFETIME_S,
    redirect: { success: requiredUrl(fields, 'order_success_url') },
    webhook: requiredTarget(fields, 'payment_gateway_notification'),
    metaData: undefined,
  }
  return fields.isClean ? { orderId, request } : { problems: fields.problems }
}

/** In seconds. The lifetime of the page is not documented; this is the lifetime of a link. */
const LIFETIME_S = 1800

function readOrderDetails(fields: Fields): LinkRequest['sender'] {
  const details = fields.requiredObject('order_details')
  if (details === undefined) return { email: '', firstName: '', lastName: '' }
  details.optionalObject('shipping_details')
  if (details.optional('items') !== undefined) details.requiredObjects('items')
  const billing = details.requiredObject('billing_details')
  if (billing === undefined) return { email: '', firstName: '', lastName: '' }
  billing.text('phone')
  billing.optionalText('company')
  return { email: readEmail(billing), firstName: billing.text('first_name'), lastName: billing.text('last_name') }
}

/** Lifetime of a token in seconds (docs/payments-api.md, section 8). */
export const TOKEN_LIFETIME_S = 3600

/** Issues a new token to a site; earlier tokens stay valid. */
export function issueToken(store: SandboxStore, site: SandboxSite): string {
  const text = ['header', 'claims', 'signature'].map(() => randomBytes(24).toString('base64url')).join('.')
  const expiresAt = new Date(store.clock.now().getTime() + TOKEN_LIFETIME_S * 1000)
  store.tokens.set(text, { siteId: site.id, expiresAt })
  return text
}

/** Whether a token belongs to the site and has not expired. */
export function isLive(store: SandboxStore, site: SandboxSite, text: string | undefined): boolean {
  const token = store.tokens.get(text ?? '')
  return token !== undefined && token.siteId === site.id && store.clock.now() < token.expiresAt
}
