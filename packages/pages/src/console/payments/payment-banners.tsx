import type { PayinStatus } from '../generated/graphql.ts'
import { Moment } from '../pieces/moments.tsx'
import { Banner } from '../pieces/page.tsx'
import { lookOf } from '../pieces/statuses.ts'
import { Id, wordsOf } from '../pieces/values.tsx'
import type { PaymentNow } from './payment-now.ts'

/** What a person has to know of a payment, and what helps: a failure, a dispute, a refund that did not succeed, a doubt. */
export function PaymentBanners({ payment }: { readonly payment: PaymentNow }) {
  const { status, failure, provisional, id } = payment
  return (
    <>
      {provisional && (
        <Banner tone="look" glyph="doubt" title="The status is being checked">
          <p>A delivery contradicts the current state. The payments API is read, and decides.</p>
        </Banner>
      )}
      {status === 'IN_DISPUTE' && (
        <Banner tone="look" glyph="flag" title="The customer disputes this payment">
          <p>The money may be taken back. The provider decides the dispute; this page shows the outcome.</p>
          <ol>
            <li>Collect the evidence: proof of delivery, messages, the refund policy.</li>
            <li>
              Respond in the provider’s dashboard, payment <code>{id}</code>.
            </li>
            <li>Do not ship anything that has not been sent yet.</li>
          </ol>
        </Banner>
      )}
      {status === 'DISPUTE_LOST' && (
        <Banner tone="fault" glyph="lost" title="The dispute was lost">
          <p>The money was taken back. Nothing more can be done here.</p>
        </Banner>
      )}
      {status === 'RETURN_REJECTED' && (
        <Banner tone="look" glyph="deny" title="The refund was denied">
          <p>The money is still here. Ask the provider for the reason, or pay the customer in another way.</p>
        </Banner>
      )}
      {status === 'RETURN_EXPIRED' && (
        <Banner tone="look" glyph="late" title="The refund expired">
          <p>The money is still here. Request the refund again, or pay the customer in another way.</p>
        </Banner>
      )}
      {status === 'RETURN_PENDING' && (
        <Banner tone="back" glyph="going" title="A refund is on its way">
          <p>
            Nothing is to be done: the provider settles it, and this page shows when. A request expires after ten days.
          </p>
        </Banner>
      )}
      {failure !== null && <FailureBanner failure={failure} />}
      <NextStep payment={payment} />
    </>
  )
}

const HELPS = {
  SAME_METHOD: 'the same method again',
  OTHER_METHOD: 'another method or card',
  LATER: 'another try later',
  LOWER_AMOUNT: 'a lower amount',
  HIGHER_AMOUNT: 'a higher amount',
  DO_NOT_RETRY: 'nothing; another try will fail too',
}

function FailureBanner({ failure }: { readonly failure: NonNullable<PaymentNow['failure']> }) {
  const { code, category, retry, retryNotBefore, customerMessage, codeRaw, upstreamMessage } = failure
  return (
    <Banner tone="fault" glyph="fail" title={wordsOf(code)}>
      <p>
        The customer was told: “{customerMessage}” What helps: <b>{HELPS[retry]}</b>
        {retryNotBefore !== null && (
          <>
            , not before <Moment at={retryNotBefore} isExact />
          </>
        )}
        .
      </p>
      <p class="faint small">
        Category {wordsOf(category).toLowerCase()}
        {codeRaw != null && (
          <>
            , code <code>{codeRaw}</code>
          </>
        )}
        {upstreamMessage != null && `, “${upstreamMessage}”`}
      </p>
    </Banner>
  )
}

/** What comes next while nothing is paid: who has to act, until when, and the link for the customer. */
function NextStep({ payment: { phase, status, link, nextAction } }: { readonly payment: PaymentNow }) {
  const isOpen = link?.state === 'OPEN'
  const copy = isOpen && <Id of={link.checkoutUrl} what="link for the customer" />
  if (phase === 'IN_PROGRESS')
    return (
      <Banner
        tone="now"
        glyph={lookOf('PayinStatus', status).glyph}
        title={STEPS[status] ?? 'The payment is in progress'}
      >
        <p>
          {nextAction === null ? 'Nothing is to be done here.' : `Next: ${nextAction.label}.`}
          {isOpen && (
            <>
              {' '}
              Open until <Moment at={link.expiresAt} isExact />.
            </>
          )}{' '}
          If the customer says that it is paid: Reconcile now.
        </p>
        {copy && <p>{copy}</p>}
      </Banner>
    )
  if (phase === 'FAILED' && isOpen)
    return (
      <Banner tone="now" glyph="open" title="The link takes another try">
        <p>
          Open until <Moment at={link.expiresAt} isExact />. Send it to the customer again: {copy}
        </p>
      </Banner>
    )
  if (phase === 'EXPIRED')
    return (
      <Banner tone="over" glyph="late" title="It was not paid in time">
        <p>Nothing was charged. A new link is needed for another try.</p>
      </Banner>
    )
  return null
}

const STEPS: Readonly<Partial<Record<PayinStatus, string>>> = {
  PENDING: 'The customer has started to pay',
  AUTHORISED: 'The customer has authorised it',
  WAITING: 'The money is on its way',
}
