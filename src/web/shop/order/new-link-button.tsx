import { useState } from 'preact/hooks'
import { keepOrder, keptOrder, nextAttempt } from '../basket/basket.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import { useRetry } from '../use-retry.ts'
import type { Link } from './payment-link.ts'

type NewLinkButtonProps = {
  readonly link: Link
  readonly go: (address: string) => void
  readonly disabled?: boolean
}

/** Requests another link for the same order, with the order's next attempt, so that the order is not placed twice. */
export function NewLinkButton({ link, go, disabled = false }: NewLinkButtonProps) {
  const { texts } = useSpeech()
  const [isAsking, setIsAsking] = useState(false)
  const [fault, setFault] = useState<ShopFault | null>(null)
  const kept = keptOrder(link.reference)
  const askAgain = async () => {
    if (kept === null) return
    setIsAsking(true)
    try {
      const { order, placed } = await placeLiveOrder(nextAttempt(kept, link.id))
      keepOrder({ order, linkId: placed.linkId })
      go(addressOf(order.orderId, placed))
    } catch (error) {
      setFault(asShopFault(error))
    } finally {
      setIsAsking(false)
    }
  }
  useRetry(fault, () => void askAgain())
  if (kept === null)
    return (
      <button type="button" onClick={() => go('/shop')}>
        {texts.toShop}
      </button>
    )
  return (
    <>
      <button type="button" class="primary" disabled={disabled || isAsking} onClick={() => void askAgain()}>
        {isAsking ? texts.placing : texts.newLink}
      </button>
      <FaultNotice fault={fault} />
    </>
  )
}
