import type { Link, LinkRequest } from '../payments/link.ts'
import { createLink } from '../payments/links.ts'
import { paymentUrl } from '../payments/payment-facts.ts'
import type { World } from '../state/sandbox-state.ts'
import type { SandboxSite } from '../state/sites.ts'

/** Keeps a new gateway payment. Gives undefined when the site has used its `order_id` (gap sheet, section 4). */
export function createGatewayPayment(
  world: World,
  site: SandboxSite,
  { orderId, request }: { orderId: string; request: LinkRequest },
): Link | undefined {
  const all = [...world.links.values()].filter(({ gateway }) => gateway !== undefined)
  if (all.some(({ siteId, gateway }) => siteId === site.id && gateway?.orderId === orderId)) return undefined
  return createLink(world, site, request, { gateway: { orderId, paymentId: all.length + 1 } })
}

/** Where the payer goes; a long `payment` value stands in the query (gap sheet, section 4). */
export function gatewayUrl(world: World, link: Link): string {
  const payment = Buffer.from(JSON.stringify({ uuid: link.uuid, ...link.gateway })).toString('base64url')
  return `${paymentUrl(world, link)}?payment=${payment}`
}
