import { formatAmount } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'
import { Countdown } from './countdown.tsx'
import type { Link, Payment } from './payment-link.ts'
import { type Stage, TO_BE_PAID } from './stage.ts'

type OrderFactsProps = {
  readonly link: Link
  readonly payment: Payment | null
  readonly stage: Stage
  readonly serverOffsetMs: number
}

/** The items, the amount and the payment method of an order. */
export function OrderFacts({ link, payment, stage, serverOffsetMs }: OrderFactsProps) {
  const { language, texts } = useSpeech()
  const { method, card, refunded } = payment ?? { method: null, card: null, refunded: null }
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
      {method != null && (
        <div>
          <dt>{texts.methodUsed}</dt>
          <dd>
            <bdi>{[method.name, card?.brand, card?.last4].filter(Boolean).join(' ')}</bdi>
          </dd>
        </div>
      )}
      {refunded != null && !/^[0.]*$/.test(refunded.value) && (
        <div>
          <dt>{texts.refundedAmount}</dt>
          <dd>{formatAmount(refunded, language)}</dd>
        </div>
      )}
      {payment !== null && payment.refunds.length > 0 && (
        <div>
          <dt>{texts.refunds}</dt>
          <dd>
            <ul class="refunds">
              {payment.refunds.map(({ id, amount, state }) => (
                <li key={id}>
                  {amount === null ? texts.amountOpen : formatAmount(amount, language)}: {texts.refundStates[state]}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
      <div>
        <dt>{texts.reference}</dt>
        <dd>
          <code>{link.reference}</code>
        </dd>
      </div>
    </dl>
  )
}
