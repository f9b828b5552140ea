import { createLink } from '../payments/link-actions.ts'
import type { Link, LinkRequest } from '../payments/link.ts'
import { paymentUrl } from '../payments/payment-facts.ts'
import type { SandboxSite } from '../state/sandbox-sites.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

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
