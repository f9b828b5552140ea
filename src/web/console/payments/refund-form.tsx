import { useState } from 'preact/hooks'
import { amountProblem, compareDecimals } from '../../../domain/money/money.ts'
import type { RefundPaymentInput } from '../generated/graphql.ts'
import { FailureNotice, type Failure } from '../pieces/answers.tsx'
import { textIn } from '../pieces/form-text.ts'
import { amountText, type AmountValue } from '../pieces/values.tsx'
import type { PaymentNow } from './payment.tsx'
import { leftOf } from './refund-offer.ts'

export type RefundWish = Pick<RefundPaymentInput, 'amount' | 'description'>

type Props = {
  readonly payment: PaymentNow
  /** The values that were entered before. */
  readonly given: RefundWish | null
  readonly failure: Failure | null
  readonly onReview: (wish: RefundWish) => void
  readonly onClose: () => void
}

/** Minimum length of the reason, in characters, as the payments API requires. */
const LEAST_REASON = 5

/** Form for the amount and the reason of a refund. */
export function RefundForm({ payment, given, failure, onReview, onClose }: Props) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isPart, setPart] = useState(Boolean(given?.amount))
  const left = leftOf(payment)

  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = event.currentTarget
    const value = textIn(form, 'value')
    const amount = isPart ? { value, currency: left.currency } : null
    const found = amount === null ? null : problemOf(amount, left)
    setProblem(found)
    if (found === null) onReview({ amount, description: textIn(form, 'description') })
  }

  return (
    <form onSubmit={submit}>
      {failure !== null && <FailureNotice failure={failure} />}
      <fieldset>
        <legend>How much</legend>
        <label class="choice">
          <input type="radio" name="part" checked={!isPart} onChange={() => setPart(false)} />
          All that is left: {amountText(left)}
        </label>
        <label class="choice">
          <input type="radio" name="part" checked={isPart} onChange={() => setPart(true)} />A part of it
        </label>
        {isPart && (
          <label>
            Amount in {left.currency}
            <input
              name="value"
              inputMode="decimal"
              autocomplete="off"
              required
              defaultValue={given?.amount?.value ?? ''}
              aria-describedby="refund-problem"
              aria-invalid={problem !== null}
            />
          </label>
        )}
        <p id="refund-problem" class="bad" role="alert">
          {problem}
        </p>
      </fieldset>
      <label>
        Why (at least {LEAST_REASON} characters)
        <input
          name="description"
          required
          minLength={LEAST_REASON}
          autocomplete="off"
          defaultValue={given?.description ?? ''}
        />
      </label>
      <div class="actions">
        <button class="primary">Go on</button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  )
}

function problemOf(amount: { readonly value: string; readonly currency: string }, left: AmountValue): string | null {
  const problem = amountProblem(amount)
  if (problem !== null) return `The amount ${problem}.`
  return compareDecimals(amount.value, left.value) > 0 ? `No more than ${amountText(left)} is left.` : null
}
