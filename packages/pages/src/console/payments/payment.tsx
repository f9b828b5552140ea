import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { PaymentNowDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { Page, Waiting } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { useScope } from '../session/session.ts'
import { Duplicate } from './duplicate.tsx'
import { PaymentBanners } from './payment-banners.tsx'
import type { PaymentNow } from './payment-now.ts'
import { PaymentSide } from './payment-side.tsx'
import { PaymentTimeline } from './payment-timeline.tsx'
import { useReconcile } from './reconcile.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { pendingRefund, refundObstacle } from './refund-offer.ts'

/** One payment: amount, status and customer, what to do, its timeline and its facts; updated live while it is shown. */
export function Payment({ id }: { readonly id: string }) {
  const concerns = ({ paymentId }: FeedEvent) => paymentId === id
  const variables = {
    id,
    pii: useScope('payments:pii'),
    refund: useScope('payments:refund'),
    risk: useScope('payments:risk'),
  }
  const answer = useAnswer(PaymentNowDocument, variables, { concerns })
  const payment = answer.data?.payment ?? null
  const [isRefunding, setRefunding] = useState(false)
  const reconcile = useReconcile(id, answer.askAgain)
  const reference = payment?.reference ?? payment?.link?.reference ?? null
  const obstacle = useObstacle(payment)
  const { name, email } = payment?.payer ?? {}
  const refund = () => {
    if (obstacle === null) setRefunding(true)
  }

  return (
    <Page
      title={`Payment ${reference ?? id}`}
      in="payments"
      heading={
        payment === null ? (
          <span class="amount large">{id}</span>
        ) : (
          <>
            <Amount of={payment.amount} class="large" />{' '}
            <Status kind="PayinStatus" of={payment.status} raw={payment.statusRaw} isFilled />
          </>
        )
      }
      about={
        <>
          {name != null && <b>{name}</b>} {email != null && <span class="faint">{email}</span>} <span>{reference}</span>
        </>
      }
      actions={
        <>
          <button
            class="button"
            type="button"
            aria-disabled={obstacle !== null}
            aria-describedby="no-refund"
            data-key="r"
            onClick={refund}
          >
            <Icon name="undo" />
            <span>Refund …</span>
          </button>
          {reconcile.button}
        </>
      }
    >
      <p class="small faint obstacle" id="no-refund">
        {payment !== null && obstacle}
      </p>
      {reconcile.outcome}
      <AnswerFailure of={answer} />
      {payment === null && <Waiting of={answer} what={`payments with the id ${id}`} />}
      {payment !== null && (
        <>
          <Duplicate payment={payment} onRefund={refund} onDone={answer.askAgain} />
          <PaymentBanners payment={payment} />
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
            <PaymentTimeline payment={payment} concerns={concerns} />
            <PaymentSide payment={payment} />
          </div>
        </>
      )}
    </Page>
  )
}

/** Returns why a payment takes no refund now; null if it takes one. */
function useObstacle(payment: PaymentNow | null): string | null {
  const mayRefund = useScope('payments:refund')
  if (!mayRefund) return 'Refunds: unavailable. The token lacks payments:refund.'
  if (payment === null) return 'The payment has not been read yet.'
  // A refund whose outcome is not known is asked for again, whatever the status says meanwhile.
  return pendingRefund(payment.id) === null ? refundObstacle(payment) : null
}
