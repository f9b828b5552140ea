import { useEffect, useState } from 'preact/hooks'
import { addressOf, type Place, placeAt } from './order-address.ts'

/**
 * Returns the current place and a function to navigate. The URL always contains the complete place, so that it can be
 * bookmarked.
 */
export function usePlace(): readonly [Place, (address: string) => void] {
  const [place, setPlace] = useState(() => placeAt(location.href))
  useEffect(() => {
    const look = () => setPlace(placeAt(location.href))
    addEventListener('popstate', look)
    addEventListener('hashchange', look)
    return () => {
      removeEventListener('popstate', look)
      removeEventListener('hashchange', look)
    }
  }, [])
  useEffect(() => {
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
