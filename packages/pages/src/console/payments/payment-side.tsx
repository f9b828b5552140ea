import type { ComponentChildren } from 'preact'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts } from '../pieces/page.tsx'
import { Amount, capitalised, Id, nameOfCode } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import type { PaymentNow } from './payment-now.ts'

/** The facts of a payment: its money, how it was paid, and its ids. */
export function PaymentSide({ payment }: { readonly payment: PaymentNow }) {
  const { amount, requestedAmount, total, paid, refunded, refundableAmount, link, method, card, payer } = payment
  const isOther = requestedAmount !== null && requestedAmount.value !== amount.value
  return (
    <aside class="side" aria-label="Facts">
      <div>
        <Part name="Money">
          <Facts class="money">
            <Fact name="Amount">
              <Amount of={amount} />
            </Fact>
            <Fact name="Requested">{isOther && <Amount of={requestedAmount} />}</Fact>
            <Fact name="With fees">{total && <Amount of={total} />}</Fact>
            <Fact name="Paid">{paid && <Amount of={paid} />}</Fact>
            <Fact name="Refunded">{refunded && <Amount of={refunded} />}</Fact>
            <Fact name="Left to refund">{refundableAmount && <Amount of={refundableAmount} class="strong" />}</Fact>
          </Facts>
        </Part>
        <Part name="How it was paid">
          <Facts>
            <Fact name="Method">
              {method === null ? (
                payment.methodRaw
              ) : (
                <>
                  {method.name} <code class="faint">{method.code}</code>
                </>
              )}
            </Fact>
            <Fact name="Card">
              {card &&
                [
                  [capitalised(card.brand ?? ''), card.type?.toLowerCase(), card.last4].filter(Boolean).join(' '),
                  card.countryCode && nameOfCode('region', card.countryCode),
                ]
                  .filter(Boolean)
                  .join(', ')}
            </Fact>
            <Fact name="Payer">{payer && [payer.name, payer.email].filter(Boolean).join(', ')}</Fact>
            <Fact name="Site">{link?.site}</Fact>
          </Facts>
        </Part>
        <Part name="Links and ids">
          <Facts>
            <Fact name="Payment">
              <Id of={payment.id} what="payment id" />
            </Fact>
            <Fact name="Link">
              {link && (
                <>
                  <a href={hrefOf('links', link.id)}>{link.reference}</a> <Id of={link.id} what="link id" />
                </>
              )}
            </Fact>
            <Fact name="Reference">{payment.reference && <Id of={payment.reference} what="reference" />}</Fact>
            <Fact name="Status">
              <code>{payment.statusRaw}</code>
            </Fact>
            <Fact name="Created">
              <Moment at={payment.createdAt} isExact />
            </Fact>
            <Fact name="Changed">
              <Moment at={payment.updatedAt} />
            </Fact>
            <Fact name="Version">{payment.version}</Fact>
            <Fact name="More to come">
              {payment.terminal ? 'Nothing is expected' : (payment.nextAction?.label ?? 'Yes')}
            </Fact>
          </Facts>
        </Part>
      </div>
    </aside>
  )
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  )
}
