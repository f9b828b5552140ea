import { keep, kept, ofTab } from 'payments-subgraph-pages/storage'
import { useLayoutEffect, useState } from 'preact/hooks'

/** A link that the page follows, and its status token. */
export type Followed = { readonly linkId: string; readonly statusToken: string }

/** The current place: the shop, or an order; `followed` is null when the order's status token is unknown. */
type Place = { readonly order: string | null; readonly followed: Followed | null }

/**
 * Parses a URL. The status token is in the fragment, which browsers do not send to servers; after the return from the
 * payment page the URL has none, and the token is read from session storage.
 */
function placeAt(address: string): Place {
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
  keep(ofTab, keptAs(order), followed)
}

function remembered(order: string): Followed | null {
  return kept(ofTab, keptAs(order)) as Followed | null
}

/**
 * Returns the current place and a function to navigate. The URL always contains the complete place, so that it can be
 * bookmarked.
 */
export function usePlace(): readonly [Place, (address: string) => void] {
  const [place, setPlace] = useState(() => placeAt(location.href))
  useLayoutEffect(() => {
    const look = () => setPlace(placeAt(location.href))
    addEventListener('popstate', look)
    addEventListener('hashchange', look)
    return () => {
      removeEventListener('popstate', look)
      removeEventListener('hashchange', look)
    }
  }, [])
  useLayoutEffect(() => {
    // After the return from the payment page the URL has no status token.
    if (place.order !== null && place.followed !== null)
      history.replaceState(null, '', addressOf(place.order, place.followed))
  }, [place])
  return [
    place,
    (address) => {
      history.pushState(null, '', address)
      setPlace(placeAt(location.href))
    },
  ]
}
