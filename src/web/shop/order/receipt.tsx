import { formatAmount } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'
import { MethodRow, OrderNumberRow, RefundRows } from './order-facts.tsx'
import type { Link, Payment } from './stage.ts'

type ReceiptProps = { readonly link: Link; readonly payment: Payment }

/** What was paid for, how and when, to keep or to print. */
export function Receipt({ link, payment }: ReceiptProps) {
  const { language, texts } = useSpeech()
  return (
    <section class="card receipt" aria-labelledby="receipt-title">
      <h2 id="receipt-title">{texts.receipt}</h2>
      <p>{texts.shopName}</p>
      <dl class="facts">
        <div>
          <dt>{texts.paidAmount}</dt>
          <dd>{formatAmount(payment.paid ?? payment.amount, language)}</dd>
        </div>
        {/* Afterwards the last change is that of a refund. */}
        {payment.status === 'RECEIVED' && (
          <div>
            <dt>{texts.paidAt}</dt>
            <dd>
              <time dateTime={payment.updatedAt}>{instantText(payment.updatedAt, language)}</time>
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.basket}</dt>
          <dd>{link.description}</dd>
        </div>
        <MethodRow payment={payment} label={texts.methodUsed} />
        <RefundRows payment={payment} />
        <OrderNumberRow reference={link.reference} />
      </dl>
      <button type="button" onClick={() => print()}>
        {texts.print}
      </button>
    </section>
  )
}

function instantText(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(instant))
}
