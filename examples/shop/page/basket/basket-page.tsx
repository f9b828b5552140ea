import { formatAmount } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CheckoutWindow } from '../checkout-window.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { fill, useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, type Catalogue, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import { useRetry } from '../use-retry.ts'
import { ANY_METHOD, type Basket, keepBasket, keepOrder, keptBasket, linesOf, orderOf, totalOf } from './basket.ts'
import { MethodChoice } from './method-choice.tsx'
import { OrderSummary } from './order-summary.tsx'
import { takes, useMethods } from './use-methods.ts'

type BasketPageProps = {
  readonly head: ComponentChildren
  readonly catalogue: Catalogue
  readonly checkout: CheckoutWindow
  readonly go: (address: string) => void
}

/** The checkout: the order beside the ways to pay, and the one button that places the order and opens the payment page. */
export function BasketPage({ head, catalogue, checkout, go }: BasketPageProps) {
  const { language, texts } = useSpeech()
  const [basket, setBasket] = useState(() => keptBasket(catalogue))
  const [placing, setPlacing] = useState(false)
  const [fault, setFault] = useState<ShopFault | null>(null)
  useEffect(() => keepBasket(basket), [basket])

  const lines = linesOf(basket, catalogue)
  const total = totalOf(lines)
  const list = useMethods(total)
  const methods = list === null || list === 'failed' ? [] : list.nodes
  const taken = methods.filter(takes)
  const isPayable = total !== null && (methods.length === 0 || taken.length > 0)
  // The method that was chosen before may not accept this amount.
  const isOffered = basket.methodCode === ANY_METHOD || taken.some(({ code }) => code === basket.methodCode)
  const chosen = list === null || isOffered ? basket.methodCode : null
  const methodCode = chosen ?? taken[0]?.code ?? ANY_METHOD
  const change = (part: Partial<Basket>) => {
    // What is changed is ordered when the customer says so.
    setFault(null)
    setBasket({ ...basket, ...part })
  }

  const order = async () => {
    const wanted = orderOf({ ...basket, methodCode }, lines, language)
    setPlacing(true)
    // Its outcome may stay unknown: another order has to be another attempt.
    keepOrder({ order: wanted, linkId: '' })
    try {
      const { order: placedOrder, placed } = await placeLiveOrder(wanted)
      keepOrder({ order: placedOrder, linkId: placed.linkId })
      go(addressOf(placedOrder.orderId, placed))
      checkout.pay(placed.checkoutUrl)
    } catch (error) {
      setFault(asShopFault(error))
      setPlacing(false)
    }
  }
  useRetry(fault, () => void order())
  return (
    <div class="checkout">
      <section class="order" aria-label={texts.order}>
        <div class="inner">
          {head}
          <OrderSummary catalogue={catalogue} basket={basket} lines={lines} total={total} onChange={change} />
        </div>
      </section>
      <main class="pay" id="content">
        <form
          class="inner"
          onSubmit={(event) => {
            event.preventDefault()
            if (isPayable && !placing) void order()
          }}
        >
          <h1>{texts.howToPay}</h1>
          {total !== null && (
            <MethodChoice
              list={list}
              amount={total}
              chosen={methodCode}
              onChoose={(code) => change({ methodCode: code })}
            />
          )}
          <FaultNotice fault={fault} />
          <p role="status" class="hidden-text">
            {placing && texts.placing}
          </p>
          <div class="pay-bar">
            <button class="button pay-button" disabled={!isPayable} aria-busy={placing}>
              {!placing && <Icon name="lock" />}
              {total === null ? texts.stepPay : fill(texts.pay, { amount: formatAmount(total, language) })}
            </button>
            <p class="safe">
              <Icon name="lock" />
              {texts.safe}
            </p>
          </div>
          <p class="foot small faint">{texts.sandboxNote}</p>
        </form>
      </main>
    </div>
  )
}
