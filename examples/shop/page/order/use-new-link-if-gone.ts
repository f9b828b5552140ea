import { useEffect, useRef } from 'preact/hooks'
import { keepOrder, keptOrder } from '../basket/basket.ts'
import { addressOf } from '../order-address.ts'
import { placeLiveOrder, wasMadeHere } from '../shop-server.ts'
import type { Link } from './stage.ts'

/**
 * Goes to a new link of the same order if the payments API does not know the open one any more. Looks once, unless the link was
 * made since the page was loaded. Null for no open link.
 */
export function useNewLinkIfGone(link: Link | null, go: (address: string) => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    const kept = link === null ? null : keptOrder(link.reference)
    if (isDone.current || link === null || kept?.linkId !== link.id || wasMadeHere(link.id)) return
    isDone.current = true
    const look = async () => {
      const { order, placed } = await placeLiveOrder(kept.order)
      if (placed.linkId === link.id) return
      keepOrder({ order, linkId: placed.linkId })
      go(addressOf(order.orderId, placed))
    }
    // The page shows the link in any case, and whether it can be paid.
    look().catch(() => {})
  }, [link, go])
}
