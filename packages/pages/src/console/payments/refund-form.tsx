import { useState } from 'preact/hooks'
import type { RefundPaymentInput } from '../generated/graphql.ts'
import { FailureNotice, type Failure } from '../pieces/answers.tsx'
import { textIn } from '../pieces/form-text.ts'
import { amountText } from '../pieces/values.tsx'
import type { PaymentNow } from './payment.tsx'

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
  const {
    amount: { currency },
    refundableAmount: left,
  } = payment

  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = event.currentTarget
    const value = textIn(form, 'value')
    const found = isPart ? problemOf(value, payment) : null
    setProblem(found)
    if (found === null)
      onReview({ amount: isPart ? { value, currency } : null, description: textIn(form, 'description') })
  }

  return (
    <form onSubmit={submit}>
      {failure !== null && <FailureNotice failure={failure} />}
      <fieldset>
        <legend>Refund amount</legend>
        <label class="check">
          <input type="radio" name="part" checked={!isPart} onChange={() => setPart(false)} />
          The full remaining amount{left !== null && `: ${amountText(left)}`}
        </label>
        <label class="check">
          <input type="radio" name="part" checked={isPart} onChange={() => setPart(true)} />A partial amount
        </label>
        {isPart && (
          <label>
            Amount in {currency}
            <input
              class="input"
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
        <p id="refund-problem" class="tone fault" role="alert">
          {problem}
        </p>
      </fieldset>
      <label>
        Reason (at least {LEAST_REASON} characters)
        <input
          class="input"
          name="description"
          required
          minLength={LEAST_REASON}
          autocomplete="off"
          defaultValue={given?.description ?? ''}
        />
      </label>
      <div class="actions">
        <button class="button primary">Continue</button>
        <button class="button" type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  )
}

const PLAIN = /^\d{1,15}(?:\.(\d{1,6}))?$/

/** Finds what a typing error makes of an amount. The server checks it by all rules. */
function problemOf(
  value: string,
  { amount: { currency, exponent }, refundableAmount: left }: PaymentNow,
): string | null {
  const [whole, decimals = ''] = PLAIN.exec(value) ?? []
  if (whole === undefined) return 'The amount must be a plain decimal number such as "1250.50".'
  if (decimals.length > exponent) return `The amount must have at most ${exponent} decimals in ${currency}.`
  return left !== null && units(value) > units(left.value) ? `No more than ${amountText(left)} is left.` : null
}

/** Returns an amount in millionths, which are exact for all currencies. */
function units(value: string): bigint {
  const [whole = '', decimals = ''] = value.split('.')
  return BigInt(whole + decimals.padEnd(6, '0'))
}
