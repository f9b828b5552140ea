import { Fact, Facts } from '../pieces/page.tsx'
import { Amount, Moment, Status, wordsOf } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import type { PaymentNow } from './payment.tsx'

/** The current facts of a payment. */
export function PaymentFacts({ payment }: { readonly payment: PaymentNow }) {
  const { amount, requestedAmount, total, paid, refunded, link, method, card, failure, payer } = payment
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      {payment.provisional && (
        <p class="notice warn">Provisional: a doubtful delivery is being checked against the payments API.</p>
      )}
      <Facts>
        <Fact name="Phase">
          <Status of={payment.phase} />
        </Fact>
        <Fact name="Status">{payment.statusRaw}</Fact>
        <Fact name="Amount">
          <Amount of={amount} />
        </Fact>
        <Fact name="Requested">
          {requestedAmount && requestedAmount.value !== amount.value && <Amount of={requestedAmount} />}
        </Fact>
        <Fact name="With fees">{total && <Amount of={total} />}</Fact>
        <Fact name="Paid">{paid && <Amount of={paid} />}</Fact>
        <Fact name="Refunded">{refunded && <Amount of={refunded} />}</Fact>
        <Fact name="Method">{method === null ? payment.methodRaw : `${method.name} (${method.code})`}</Fact>
        <Fact name="Card">
          {card && [card.brand, card.type, card.last4 && `•••• ${card.last4}`].filter(Boolean).join(' ')}
        </Fact>
        <Fact name="Failure">{failure && <FailureText failure={failure} />}</Fact>
        <Fact name="Payer">{payer && [payer.name, payer.email].filter(Boolean).join(', ')}</Fact>
        <Fact name="Next action">{payment.nextAction?.label}</Fact>
        <Fact name="Id">
          <code>{payment.id}</code>
        </Fact>
        <Fact name="Link">{link && <a href={hrefOf('links', link.id)}>{link.reference}</a>}</Fact>
        <Fact name="Site">{link?.site}</Fact>
        <Fact name="Created">
          <Moment at={payment.createdAt} />
        </Fact>
        <Fact name="Updated">
          <Moment at={payment.updatedAt} />
        </Fact>
        <Fact name="Version">{payment.version}</Fact>
        <Fact name="Final">{payment.terminal ? 'Yes' : 'No'}</Fact>
      </Facts>
    </section>
  )
}

function FailureText({ failure }: { readonly failure: NonNullable<PaymentNow['failure']> }) {
  const raw = [failure.codeRaw, failure.upstreamMessage].filter(Boolean).join(': ')
  return (
    <>
      <span class="bad">{wordsOf(failure.code)}</span>. {failure.customerMessage} ({wordsOf(failure.category)}; what to
      try next: {wordsOf(failure.retry).toLowerCase()})
      {raw !== '' && (
        <>
          <br />
          <code>{raw}</code>
        </>
      )}
    </>
  )
}
