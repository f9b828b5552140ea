import { useEffect, useState } from 'preact/hooks'
import { addressOf, type Place, placeAt } from './order-address.ts'

/** Where the page is, and the way to another place. The address always says all of it, so that it can be kept. */
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
    // Who comes back from the payment page has an address without the capability.
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
