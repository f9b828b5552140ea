import { formatAmount } from 'payments-subgraph-client'
import { instantText, useSpeech } from '../language.ts'
import { type Link, PAID, type Payment, type Stage } from './stage.ts'

type ReceiptProps = { readonly link: Link; readonly payment: Payment | null; readonly stage: Stage }

/** What is ordered, for how much, and how it is paid; once it is paid this is the receipt. */
export function Receipt({ link, payment, stage }: ReceiptProps) {
  const { language, texts } = useSpeech()
  const isPaid = payment !== null && PAID.has(stage)
  const amount = isPaid ? (payment.paid ?? payment.amount) : link.requestedAmount
  return (
    <dl class="receipt">
      <div>
        <dt>{isPaid ? texts.paidAmount : texts.amount}</dt>
        <dd>
          <b>{formatAmount(amount, language)}</b>
        </dd>
      </div>
      {/* Afterwards the last change is that of a refund. */}
      {payment?.status === 'RECEIVED' && (
        <div>
          <dt>{texts.paidAt}</dt>
          <dd>
            <time dateTime={payment.updatedAt}>{instantText(payment.updatedAt, language)}</time>
          </dd>
        </div>
      )}
      <MethodRow payment={payment} label={isPaid ? texts.methodUsed : texts.methodChosen} />
      <div>
        <dt>{texts.basket}</dt>
        <dd>
          {link.description.split(/, (?=\d+ × )/).map((line) => (
            <div key={line}>{line}</div>
          ))}
        </dd>
      </div>
      <RefundRows payment={payment} />
      <div>
        <dt>{texts.reference}</dt>
        <dd>
          <span class="mono">{link.reference.slice(0, NUMBER_LENGTH).toUpperCase()}</span>
        </dd>
      </div>
    </dl>
  )
}

/** Characters of an order's id that people are shown. The console finds a payment by the beginning of its reference, in any case. */
const NUMBER_LENGTH = 8

type MethodRowProps = { readonly payment: Payment | null; readonly label: string }

/** The payment method, with the card's brand and last digits. */
function MethodRow({ payment, label }: MethodRowProps) {
  const { method, card } = payment ?? { method: null, card: null }
  if (method == null) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <bdi>{method.name}</bdi>
        {card?.last4 && <bdi class="brand"> · {[card.brand, card.last4].filter(Boolean).join(' ')}</bdi>}
      </dd>
    </div>
  )
}

/** What was refunded, and the refunds; nothing before a refund. */
function RefundRows({ payment }: { readonly payment: Payment | null }) {
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
            <ul>
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
