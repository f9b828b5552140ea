import { useEffect, useRef } from 'preact/hooks'
import type { ShopFault } from './shop-server.ts'

const AFTER_MS = 3_000
/** Ten minutes: an outage that lasts longer is no reason to keep a forgotten page busy. */
const MOST_TRIES = 200

/**
 * Sends an order again by itself while the shop says that it may be repeated. The order has a number, so it is taken once. It ends with the
 * fault, or when the page is left.
 */
export function useRetry(fault: ShopFault | null, again: () => void): void {
  const tries = useRef(0)
  useEffect(() => {
    if (fault === null) tries.current = 0
    if (fault?.fault.code !== 'TRY_AGAIN' || tries.current >= MOST_TRIES) return undefined
    const timer = setTimeout(() => {
      tries.current += 1
      again()
    }, AFTER_MS)
    return () => clearTimeout(timer)
  }, [fault])
}
