import { useEffect, useState } from 'preact/hooks'
import { DeliveriesOf } from '../deliveries/deliveries.tsx'
import type { FeedEvent } from '../feed/log-changes.ts'
import { PaymentNowDocument, type PaymentNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { History } from '../pieces/history.tsx'
import { Needs, Page, Waiting } from '../pieces/page.tsx'
import { useScope } from '../session/session.ts'
import { Duplicate } from './duplicate.tsx'
import { PaymentFacts } from './payment-facts.tsx'
import { Reconcile } from './reconcile.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { pendingRefund, refundObstacle } from './refund-offer.ts'
import { Refunds } from './refunds.tsx'

export type PaymentNow = NonNullable<PaymentNowQuery['payment']>

/** One payment: its current facts, history, deliveries and actions; updated live while it is shown. */
export function Payment({ id }: { readonly id: string }) {
  const [isRefunding, setRefunding] = useState(false)
  const concerns = ({ paymentId }: FeedEvent) => paymentId === id
  const variables = {
    id,
    pii: useScope('payments:pii'),
    refund: useScope('payments:refund'),
    risk: useScope('payments:risk'),
  }
  const answer = useAnswer(PaymentNowDocument, variables, { concerns })
  const payment = answer.data?.payment ?? null

  return (
    <Page title={`Payment ${payment?.reference ?? payment?.link?.reference ?? id}`}>
      <AnswerFailure of={answer} />
      {payment === null && <Waiting of={answer} what={`payments with the id ${id}`} />}
      {payment !== null && (
        <>
          <Duplicate payment={payment} onRefund={() => setRefunding(true)} onDone={answer.askAgain} />
          <PaymentFacts payment={payment} />
          <Refunds refunds={payment.refunds} />
          <Actions payment={payment} onRefund={() => setRefunding(true)} onDone={answer.askAgain} />
          {isRefunding && (
            <RefundDialog
              payment={payment}
              onClose={() => {
                setRefunding(false)
                answer.askAgain()
              }}
            />
          )}
          <div class="beside">
            <History events={payment.events?.nodes ?? []} isWhole={payment.events?.pageInfo.hasNextPage === false} />
            <DeliveriesOf subjectId={payment.id} concerns={concerns} />
          </div>
        </>
      )}
    </Page>
  )
}

type ActionsProps = { readonly payment: PaymentNow; readonly onRefund: () => void; readonly onDone: () => void }

function Actions({ payment, onRefund, onDone }: ActionsProps) {
  const hasPending = pendingRefund(payment.id) !== null
  // A refund whose outcome is not known is asked for again, whatever the status says meanwhile.
  const obstacle = hasPending ? null : refundObstacle(payment)
  // The button may be removed while it has the focus, because nothing is left to refund.
  useEffect(() => {
    if (document.activeElement === document.body) document.querySelector('h1')?.focus()
  }, [obstacle])
  return (
    <section aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
      <Reconcile id={payment.id} onDone={onDone} />
      <Needs scopes={['payments:refund']} what="Refunds">
        {obstacle === null ? (
          <button type="button" onClick={onRefund}>
            Refund …
          </button>
        ) : (
          <p class="quiet">{obstacle}</p>
        )}
      </Needs>
    </section>
  )
}
