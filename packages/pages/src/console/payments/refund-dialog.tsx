import { useMutation } from '@urql/preact'
import { useRef, useState } from 'preact/hooks'
import { RefundDocument, type RefundMutation, type RefundPaymentInput } from '../generated/graphql.ts'
import { documentOf, RequestFailure, type Failure, useSingle, FailureNotice } from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { Moment } from '../pieces/moments.tsx'
import { newKey } from '../pieces/new-key.ts'
import { Fact, Facts } from '../pieces/page.tsx'
import { amountText } from '../pieces/values.tsx'
import type { PaymentNow } from './payment-now.ts'
import { RefundForm } from './refund-form.tsx'
import { pendingRefund, rememberRefund, settleRefund } from './refund-offer.ts'

type Props = { readonly payment: PaymentNow; readonly onClose: () => void }

/** The outcome of a refund that was sent: no response, an expected failure, or the refund. */
type RefundOutcome =
  | { readonly kind: 'unknown'; readonly failure: Failure | null }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly replayed: boolean; readonly expiresAt: string }

/**
 * Requests a refund in two steps. The idempotency key is created once per dialog, or taken from a refund whose outcome is
 * unknown, so that repeated clicks make only one refund.
 */
export function RefundDialog({ payment, onClose }: Props) {
  const earlier = useRef(pendingRefund(payment.id)).current
  const key = useRef(earlier?.idempotencyKey ?? newKey()).current
  const [input, setInput] = useState<RefundPaymentInput | null>(earlier)
  const [isConfirming, setConfirming] = useState(earlier !== null)
  const [outcome, setOutcome] = useState<RefundOutcome | null>(
    earlier === null ? null : { kind: 'unknown', failure: null },
  )
  const [{ error }, execute] = useMutation(documentOf(RefundDocument))

  const [isBusy, send] = useSingle(async (asked: RefundPaymentInput) => {
    rememberRefund(asked)
    const { data } = await execute({ input: asked })
    const found = outcomeOf(data?.refundPayment)
    if (found.kind !== 'unknown') settleRefund(payment.id)
    setOutcome(found)
    // Field errors are corrected in the form.
    if (found.kind === 'refused' && found.failure.code === 'INVALID_INPUT') setConfirming(false)
  })

  return (
    <Dialog title="Refund" isDrawer isBusy={isBusy} onClose={onClose}>
      {!isBusy && <RequestFailure error={error} />}
      {isConfirming && input !== null ? (
        <RefundConfirmation
          payment={payment}
          input={input}
          outcome={outcome}
          isBusy={isBusy}
          onConfirm={() => send(input)}
          onBack={() => setConfirming(false)}
          onClose={onClose}
        />
      ) : (
        <RefundForm
          payment={payment}
          given={input}
          failure={outcome?.kind === 'refused' ? outcome.failure : null}
          onReview={(wish) => {
            setInput({ ...wish, paymentId: payment.id, idempotencyKey: key })
            setOutcome(null)
            setConfirming(true)
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

/** Failures after which the refund may have been made, or may still be in progress. */
const UNSETTLED = new Set(['OUTCOME_UNKNOWN', 'IDEMPOTENCY_CONFLICT'])

function outcomeOf(result: RefundMutation['refundPayment'] | undefined): RefundOutcome {
  if (result === undefined || result === null) return { kind: 'unknown', failure: null }
  if (result.__typename === 'RefundPaymentSuccess')
    return { kind: 'done', replayed: result.replayed, expiresAt: result.refundExpiresAt }
  return { kind: UNSETTLED.has(result.code) && result.retryable ? 'unknown' : 'refused', failure: result }
}

type ConfirmationProps = {
  readonly payment: PaymentNow
  readonly input: RefundPaymentInput
  readonly outcome: RefundOutcome | null
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
  readonly onClose: () => void
}

/** Shows a refund for confirmation, then its outcome. */
function RefundConfirmation({ payment, input, outcome, isBusy, onConfirm, onBack, onClose }: ConfirmationProps) {
  const amount = input.amount ? { ...payment.amount, ...input.amount } : payment.refundableAmount
  const text = amount === null ? 'the full remaining amount' : amountText(amount)
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
        <Fact name="Reason">{input.description}</Fact>
      </Facts>
      <div role="status">{outcome !== null && !isBusy && <OutcomeText outcome={outcome} />}</div>
      {outcome !== null && outcome.kind !== 'done' && outcome.failure !== null && (
        <FailureNotice failure={outcome.failure} />
      )}
      <div class="actions">
        {isOpen && (
          <button type="button" class="button danger" disabled={isBusy} onClick={onConfirm}>
            {outcome === null ? `Refund ${text}` : 'Retry with the same key'}
          </button>
        )}
        {outcome === null && (
          <button class="button" type="button" disabled={isBusy} onClick={onBack}>
            Back
          </button>
        )}
        <button class="button" type="button" disabled={isBusy} onClick={onClose}>
          Close
        </button>
      </div>
    </>
  )
}

function OutcomeText({ outcome }: { readonly outcome: RefundOutcome }) {
  if (outcome.kind === 'refused') return <p>The refund failed.</p>
  if (outcome.kind === 'unknown')
    return (
      <p class="note-block look">
        The refund was sent, but its outcome is unknown. A retry uses the same key, so nothing is refunded twice.
      </p>
    )
  return (
    <p class="note-block here">
      {outcome.replayed ? 'The refund had already been requested.' : 'The refund was requested.'} Its request expires{' '}
      <Moment at={outcome.expiresAt} />.
    </p>
  )
}
