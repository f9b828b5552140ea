import type { RefundPaymentInput } from '../generated/graphql.ts'
import { amountText } from '../pieces/amount.tsx'
import { Fact, Facts } from '../pieces/facts.tsx'
import { FailureNotice } from '../pieces/failures.tsx'
import { Moment } from '../pieces/moment.tsx'
import type { PaymentNow } from './payment.tsx'
import type { RefundOutcome } from './refund-dialog.tsx'
import { leftOf } from './refund-offer.ts'

type Props = {
  readonly payment: PaymentNow
  readonly input: RefundPaymentInput
  readonly outcome: RefundOutcome | null
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
  readonly onClose: () => void
}

/** Shows a refund for confirmation, then its outcome. */
export function RefundConfirmation({ payment, input, outcome, isBusy, onConfirm, onBack, onClose }: Props) {
  const left = leftOf(payment)
  const text = amountText(input.amount ? { ...left, ...input.amount } : left)
  const isOpen = outcome === null || outcome.kind === 'unknown'
  return (
    <>
      <Facts>
        <Fact name="Amount">
          <strong>{text}</strong>
        </Fact>
        <Fact name="Reference">{payment.reference ?? payment.link?.reference ?? '–'}</Fact>
        <Fact name="Payment">
          <code>{payment.id}</code>
        </Fact>
        <Fact name="Why">{input.description}</Fact>
      </Facts>
      <div role="status">{outcome !== null && !isBusy && <OutcomeText outcome={outcome} />}</div>
      {outcome !== null && outcome.kind !== 'done' && outcome.failure !== null && (
        <FailureNotice failure={outcome.failure} />
      )}
      <div class="actions">
        {isOpen && (
          <button type="button" class="danger" disabled={isBusy} onClick={onConfirm}>
            {outcome === null ? `Refund ${text}` : 'Ask again with the same key'}
          </button>
        )}
        {outcome === null && (
          <button type="button" disabled={isBusy} onClick={onBack}>
            Back
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          Close
        </button>
      </div>
    </>
  )
}

function OutcomeText({ outcome }: { readonly outcome: RefundOutcome }) {
  if (outcome.kind === 'refused') return <p>The refund was not made.</p>
  if (outcome.kind === 'unknown')
    return (
      <p class="notice warn">
        The refund was sent, and its outcome is not known here. Asked again, it is not made a second time: the key is
        the same.
      </p>
    )
  return (
    <p class="notice good">
      {outcome.replayed ? 'The refund had been asked for before.' : 'The refund was asked for.'} Its request expires{' '}
      <Moment at={outcome.expiresAt} />.
    </p>
  )
}
