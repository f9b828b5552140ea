import { remaining, type Checkout, openCheckout } from 'payments-subgraph-client'
import { useState, useEffect } from 'preact/hooks'
import { keptOrder, keepOrder, nextAttempt } from '../basket/basket.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import { useRetry } from '../use-retry.ts'
import type { Link, Payment } from './stage.ts'

type FailedStepProps = {
  readonly link: Link
  readonly payment: Payment
  readonly serverOffsetMs: number
  readonly checkout: CheckoutWindow
  readonly go: (address: string) => void
}

/** The amount of a link is fixed, so another amount needs a new attempt. */
const CHANGES_AMOUNT: ReadonlySet<string> = new Set(['LOWER_AMOUNT', 'HIGHER_AMOUNT'])

/** Says why a payment failed, and what the customer can do. */
export function FailedStep({ link, payment, serverOffsetMs, checkout, go }: FailedStepProps) {
  const { language, texts } = useSpeech()
  const { failure, nextAction } = payment
  const notBefore = failure?.retryNotBefore ?? null
  const mayTry = useHasCome(notBefore, serverOffsetMs)
  if (failure === null) return null

  const { retry } = failure
  const changesAmount = CHANGES_AMOUNT.has(retry)
  // Without a method from the basket, the payment page offers all methods.
  const changesMethod = retry === 'OTHER_METHOD' && keptOrder(link.reference)?.order.methodCode !== undefined
  return (
    <>
      <p>{failure.customerMessage}</p>
      <p>
        {/* The graph may add further advice values. */}
        {Object.hasOwn(texts.advice, retry) ? texts.advice[retry] : texts.advice.LATER}{' '}
        {notBefore !== null && !mayTry && texts.notBefore(timeText(notBefore, language))}
      </p>
      {(changesAmount || changesMethod) && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => go('/shop')}>
            {changesAmount ? texts.changeBasket : texts.otherMethod}
          </button>
        </div>
      )}
      {nextAction?.kind === 'OPEN_CHECKOUT' && (
        <PayButtons
          checkout={checkout}
          url={link.checkoutUrl}
          label={texts.payAgain}
          disabled={!mayTry}
          isSecond={changesMethod}
        />
      )}
      {nextAction?.kind === 'START_AGAIN' && !changesAmount && (
        <div class="actions">
          <NewLinkButton link={link} go={go} disabled={!mayTry} />
        </div>
      )}
    </>
  )
}

function timeText(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))
}

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

/** The maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1
/** Margin in milliseconds, because timers may fire a millisecond early. */
const MARGIN_MS = 20

/** Whether an instant of the server's clock has passed; true for null. Re-renders when the instant passes. */
function useHasCome(instant: string | null, serverOffsetMs: number): boolean {
  const [, look] = useState(0)
  const left = instant === null ? 0 : remaining(instant, serverOffsetMs)
  useEffect(() => {
    if (instant === null) return undefined
    const wait = Math.min(remaining(instant, serverOffsetMs) + MARGIN_MS, LONGEST_MS)
    const timer = setTimeout(() => look((count) => count + 1), wait)
    return () => clearTimeout(timer)
  }, [instant, serverOffsetMs])
  return left === 0
}

type PayButtonsProps = {
  readonly checkout: CheckoutWindow
  readonly url: string
  readonly label: string
  readonly disabled?: boolean
  /** Whether another action is recommended instead. */
  readonly isSecond?: boolean
}

/** Buttons that open the payment page in a popup or in this window. */
export function PayButtons({ checkout, url, label, disabled = false, isSecond = false }: PayButtonsProps) {
  const { texts } = useSpeech()
  if (checkout.open !== null)
    return (
      <div class="actions">
        <p>{texts.inWindow}</p>
        <button type="button" class="primary" onClick={() => checkout.open?.focus()}>
          {texts.showWindow}
        </button>
      </div>
    )
  return (
    <div class="actions">
      <button type="button" class={isSecond ? '' : 'primary'} disabled={disabled} onClick={() => checkout.pay(url)}>
        {label}
      </button>
      <button type="button" disabled={disabled} onClick={() => location.assign(url)}>
        {texts.payHere}
      </button>
      <p class="quiet">{texts.payInPopup}</p>
    </div>
  )
}

export type CheckoutWindow = {
  /** The payment page in a popup; null while none is open. */
  readonly open: Checkout | null
  /** Opens the popup. Browsers allow this only in a click handler, so the order and its link must exist before. */
  readonly pay: (checkoutUrl: string) => void
}

/** Opens the payment page in a popup, or in this window when the browser blocks popups. */
export function useCheckout(): CheckoutWindow {
  const [open, setOpen] = useState<Checkout | null>(null)
  return {
    open,
    pay: (checkoutUrl) => {
      const checkout = openCheckout(checkoutUrl, {
        // The popup's messages are a hint: the graph says whether the payment succeeded.
        onMessage: ({ event }) => {
          if (event === 'done') checkout.close()
        },
      })
      if (checkout.mode === 'redirect') return
      setOpen(checkout)
      void checkout.closed.then(() => setOpen((current) => (current === checkout ? null : current)))
    },
  }
}
