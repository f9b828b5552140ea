import { useMutation } from '@urql/preact'
import { DismissDuplicateDocument } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner, Needs } from '../pieces/page.tsx'
import { Amount } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import type { PaymentNow } from './payment-now.ts'
import { refundObstacle } from './refund-offer.ts'

type Props = { readonly payment: PaymentNow; readonly onRefund: () => void; readonly onDone: () => void }

const RESOLUTIONS = {
  REFUNDED: 'It was refunded.',
  OTHER_REFUNDED: 'The other payment was refunded, so this one pays the order.',
  DISMISSED: 'Both payments are kept.',
}

/** Why a payment is a duplicate, and what can be done; nothing for any other payment. */
export function Duplicate({ payment, onRefund, onDone }: Props) {
  const [{ error, data }, execute] = useMutation(documentOf(DismissDuplicateDocument))
  const [isBusy, dismiss] = useSingle(async () => {
    await execute({ input: { paymentId: payment.id } })
    onDone()
  })
  const { duplicate } = payment
  if (duplicate === null) return null
  const result = data?.dismissDuplicatePayment
  return (
    <Banner
      tone={duplicate.resolution === null ? 'look' : 'over'}
      glyph="doubt"
      title={duplicate.reason === 'EXPIRED_LINK' ? 'It was paid late' : 'This order was already paid'}
    >
      <p>
        {duplicate.reason === 'EXPIRED_LINK'
          ? 'It was paid after its link had expired. '
          : 'Its order was already paid'}
        {duplicate.other !== null && (
          <>
            {' by '}
            <a href={hrefOf('payments', duplicate.other.id)}>{duplicate.other.reference ?? duplicate.other.id}</a> (
            <Amount of={duplicate.other.amount} />, <Moment at={duplicate.other.updatedAt} />
            ).{' '}
          </>
        )}
        {duplicate.resolution === null ? 'Refund one of them, or keep both.' : RESOLUTIONS[duplicate.resolution]}
      </p>
      {duplicate.resolution === null && (
        <Needs scopes={['payments:refund']} what="Refunds">
          <div class="actions">
            {refundObstacle(payment) === null && (
              <button class="button" type="button" onClick={onRefund}>
                Refund this payment …
              </button>
            )}
            <button class="button" type="button" disabled={isBusy} onClick={dismiss}>
              Keep both
            </button>
          </div>
        </Needs>
      )}
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </Banner>
  )
}
