import { useMutation } from '@urql/preact'
import { useRef, useState } from 'preact/hooks'
import { RefundDocument, type RefundMutation, type RefundPaymentInput } from '../generated/graphql.ts'
import { Dialog } from '../pieces/dialog.tsx'
import { documentOf } from '../pieces/document.ts'
import { RequestFailure, type Failure } from '../pieces/failures.tsx'
import { newKey } from '../pieces/new-key.ts'
import { useSingle } from '../pieces/use-single.ts'
import type { PaymentNow } from './payment.tsx'
import { pendingRefund, rememberRefund, settleRefund } from './pending-refunds.ts'
import { RefundConfirmation } from './refund-confirmation.tsx'
import { RefundForm } from './refund-form.tsx'

type Props = { readonly payment: PaymentNow; readonly onClose: () => void }

/** The outcome of a refund that was sent: no response, an expected failure, or the refund. */
export type RefundOutcome =
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
    <Dialog title="Refund" isBusy={isBusy} onClose={onClose}>
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
