import { keep, kept } from './kept.ts'

/** A link that the page follows, and its status token. */
export type Followed = { readonly linkId: string; readonly statusToken: string }

/** The current place: the shop, or an order; `followed` is null when the order's status token is unknown. */
export type Place = { readonly order: string | null; readonly followed: Followed | null }

/**
 * Parses a URL. The status token is in the fragment, which browsers do not send to servers; after the return from the
 * payment page the URL has none, and the token is read from session storage.
 */
export function placeAt(address: string): Place {
  const url = new URL(address)
  const order = url.searchParams.get('order')
  if (order === null) return { order, followed: null }
  const fragment = new URLSearchParams(url.hash.slice(1))
  const [linkId, statusToken] = [fragment.get('link'), fragment.get('token')]
  if (linkId === null || statusToken === null) return { order, followed: remembered(order) }
  remember(order, { linkId, statusToken })
  return { order, followed: { linkId, statusToken } }
}

/** Returns the URL of an order with its status token: anyone who has the URL can follow the payment. */
export function addressOf(order: string, { linkId, statusToken }: Followed): string {
  return `/shop?${new URLSearchParams({ order })}#${new URLSearchParams({ link: linkId, token: statusToken })}`
}

const keptAs = (order: string) => `shop:followed:${order}`

function remember(order: string, followed: Followed): void {
  keep(sessionStorage, keptAs(order), followed)
}

function remembered(order: string): Followed | null {
  return kept(sessionStorage, keptAs(order)) as Followed | null
}
