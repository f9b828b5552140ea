import { keep, kept } from './kept.ts'

/** A link that is followed, and the capability to do so. */
export type Followed = { readonly linkId: string; readonly statusToken: string }

/** Where the page is: in the shop, or at an order; `followed` is null where nobody knows how to follow it. */
export type Place = { readonly order: string | null; readonly followed: Followed | null }

/**
 * The place that an address names. The capability stands in the fragment, which browsers send to no server; who comes back
 * from the payment page brings none, and has it in the tab's own memory.
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

/** The address of an order, complete: whoever has it may follow the payment. */
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
