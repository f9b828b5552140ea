import { useEffect, useState } from 'preact/hooks'
import { formatAmount, remaining } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'
import { type Link, type Payment, type Stage, TO_BE_PAID } from './stage.ts'

type OrderFactsProps = {
  readonly link: Link
  readonly payment: Payment | null
  readonly stage: Stage
  readonly serverOffsetMs: number
}

/** The items, the amount and the payment method of an order that is not paid. */
export function OrderFacts({ link, payment, stage, serverOffsetMs }: OrderFactsProps) {
  const { language, texts } = useSpeech()
  return (
    <dl class="facts">
      {TO_BE_PAID.has(stage) && (
        <div>
          <dt>{texts.timeLeft}</dt>
          <dd>
            <Countdown until={link.expiresAt} serverOffsetMs={serverOffsetMs} />
          </dd>
        </div>
      )}
      <div>
        <dt>{texts.amount}</dt>
        <dd>{formatAmount(link.requestedAmount, language)}</dd>
      </div>
      <div>
        <dt>{texts.basket}</dt>
        <dd>{link.description}</dd>
      </div>
      <MethodRow payment={payment} label={texts.methodChosen} />
      <RefundRows payment={payment} />
      <OrderNumberRow reference={link.reference} />
    </dl>
  )
}

type MethodRowProps = { readonly payment: Payment | null; readonly label: string }

/** The payment method, with the card's brand and last digits. */
export function MethodRow({ payment, label }: MethodRowProps) {
  const { method, card } = payment ?? { method: null, card: null }
  if (method == null) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <bdi>{[method.name, card?.brand, card?.last4].filter(Boolean).join(' ')}</bdi>
      </dd>
    </div>
  )
}

/** What was refunded, and the refunds; nothing before a refund. */
export function RefundRows({ payment }: { readonly payment: Payment | null }) {
  const { language, texts } = useSpeech()
  if (payment === null) return null
  const { refunded, refunds } = payment
  return (
    <>
      {refunded !== null && !/^[0.]*$/.test(refunded.value) && (
        <div>
          <dt>{texts.refundedAmount}</dt>
          <dd>{formatAmount(refunded, language)}</dd>
        </div>
      )}
      {refunds.length > 0 && (
        <div>
          <dt>{texts.refunds}</dt>
          <dd>
            <ul class="refunds">
              {refunds.map(({ id, amount, state }) => (
                <li key={id}>
                  {amount === null ? texts.amountOpen : formatAmount(amount, language)}: {texts.refundStates[state]}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
    </>
  )
}

/** Characters of an order's id that people are shown. The console finds a payment by the beginning of its reference, in any case. */
const NUMBER_LENGTH = 8

/** The order number: the beginning of the order's id, which can be read out. */
export function OrderNumberRow({ reference }: { readonly reference: string }) {
  const { texts } = useSpeech()
  return (
    <div>
      <dt>{texts.reference}</dt>
      <dd>
        <code>{reference.slice(0, NUMBER_LENGTH).toUpperCase()}</code>
      </dd>
    </div>
  )
}

type CountdownProps = {
  readonly until: string
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
}

/**
 * Minutes and seconds until an instant of the server's clock. Not a live region, because screen readers would announce every
 * second.
 */
function Countdown({ until, serverOffsetMs }: CountdownProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  const seconds = Math.ceil(remaining(until, serverOffsetMs, now) / 1_000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return (
    <span role="timer">
      <bdi>
        {minutes}:{String(rest).padStart(2, '0')}
      </bdi>
    </span>
  )
}
