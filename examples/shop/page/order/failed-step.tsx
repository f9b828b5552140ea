import { remaining } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import { useEffect, useState } from 'preact/hooks'
import { keepOrder, keptOrder, nextAttempt } from '../basket/basket.ts'
import type { CheckoutWindow } from '../checkout-window.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { fill, instantText, type Language, useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import type { Texts } from '../texts/en.ts'
import { useRetry } from '../use-retry.ts'
import { TimeLeft } from './countdown.tsx'
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

/** What the customer can do after a payment has failed. */
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
  const isOpen = nextAction?.kind === 'OPEN_CHECKOUT'
  return (
    <>
      <div class="advice">
        <h2>{texts.whatHelps}</h2>
        <p>
          {/* The graph may add further advice values. */}
          {Object.hasOwn(texts.advice, retry) ? texts.advice[retry] : texts.advice.LATER}{' '}
          {notBefore !== null && !mayTry && fill(texts.notBefore, { time: instantText(notBefore, language) })}
        </p>
      </div>
      <div class="buttons">
        {(changesAmount || changesMethod) && (
          <button type="button" class="button pay-button" onClick={() => go('/shop')}>
            {changesAmount ? texts.changeBasket : texts.otherMethod}
          </button>
        )}
        {isOpen && (
          <button
            type="button"
            class={changesMethod || changesAmount ? 'button big' : 'button pay-button'}
            disabled={!mayTry}
            onClick={() => checkout.pay(link.checkoutUrl)}
          >
            {texts.payAgain}
          </button>
        )}
        {nextAction?.kind === 'START_AGAIN' && !changesAmount && (
          <NewLinkButton link={link} go={go} disabled={!mayTry} />
        )}
      </div>
      {isOpen && <TimeLeft label={texts.keptFor} until={link.expiresAt} serverOffsetMs={serverOffsetMs} />}
    </>
  )
}

/** The languages of the graph's own sentences for payers. */
const GRAPH_SPEAKS: ReadonlySet<Language> = new Set(['en', 'ja'])

/** Returns why a payment failed, and whether money has moved, for the payer. */
export function failureText({ failure }: Payment, language: Language, texts: Texts): string {
  if (failure === null) return texts.nothingCharged
  const { code, category, customerMessage } = failure
  const reasons: Readonly<Record<string, string>> = texts.reasons ?? {}
  const reason = GRAPH_SPEAKS.has(language) ? customerMessage : reasons[category]
  // What is declined for a risk is not told from what the bank declines.
  const why = reason ?? reasons['ISSUER'] ?? customerMessage
  return `${why} ${code === 'TRANSACTION_IS_BLOCKED' ? texts.blocked : texts.nothingCharged}`
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
      <button type="button" class="button big" onClick={() => go('/shop')}>
        {texts.toShop}
      </button>
    )
  return (
    <>
      <button
        type="button"
        class="button pay-button"
        disabled={disabled}
        aria-busy={isAsking}
        onClick={() => {
          if (!isAsking) void askAgain()
        }}
      >
        {!isAsking && <Icon name="refresh" />}
        {texts.newLink}
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
