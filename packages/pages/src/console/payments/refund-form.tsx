import { useState } from 'preact/hooks'
import type { RefundPaymentInput } from '../generated/graphql.ts'
import { FailureNotice, type Failure } from '../pieces/answers.tsx'
import { textIn } from '../pieces/form-text.ts'
import { Fact, Facts } from '../pieces/page.tsx'
import { plainAmount } from '../pieces/typed-amount.ts'
import { Amount, amountText, type AmountValue } from '../pieces/values.tsx'
import type { PaymentNow } from './payment-now.ts'

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
  const [typed, setTyped] = useState(given?.amount?.value ?? '')
  const {
    amount: { currency },
    paid,
    refunded,
    refundableAmount,
  } = payment

  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = event.currentTarget
    const value = plainAmount(textIn(form, 'value'), navigator.language)
    const found = isPart ? problemOf(value, payment) : null
    setProblem(found)
    if (found === null)
      onReview({ amount: isPart ? { value, currency } : null, description: textIn(form, 'description') })
  }

  const left = isPart ? leftAfter(plainAmount(typed, navigator.language), payment) : null
  return (
    <form onSubmit={submit}>
      {failure !== null && <FailureNotice failure={failure} />}
      <Facts class="money">
        <Fact name="Paid">{paid && <Amount of={paid} />}</Fact>
        <Fact name="Refunded">{refunded && <Amount of={refunded} />}</Fact>
        <Fact name="Left">{refundableAmount && <Amount of={refundableAmount} class="strong" />}</Fact>
      </Facts>
      <fieldset class="stack">
        <legend class="label">Amount</legend>
        <label class="option">
          <input type="radio" name="part" checked={!isPart} onChange={() => setPart(false)} />
          <span>The full remaining amount</span>
          <span class="push">{refundableAmount && <Amount of={refundableAmount} />}</span>
        </label>
        <label class="option">
          <input type="radio" name="part" checked={isPart} onChange={() => setPart(true)} />
          <span>A partial amount</span>
        </label>
        {isPart && (
          <div class="field">
            <label class="hidden-text" for="refund-value">
              Amount in {currency}
            </label>
            <div class="joined">
              <input
                class="input"
                id="refund-value"
                name="value"
                inputMode="decimal"
                autocomplete="off"
                required
                defaultValue={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
                aria-describedby="refund-problem refund-left"
                aria-invalid={problem !== null}
              />
              <span aria-hidden="true">{currency}</span>
            </div>
            <p class="hint" id="refund-left">
              {left !== null && `${amountText(left)} will be left.`}
            </p>
          </div>
        )}
        <p id="refund-problem" class="tone fault" role="alert">
          {problem}
        </p>
      </fieldset>
      <label class="field">
        <span class="label">Reason</span>
        <input
          class="input"
          name="description"
          required
          minLength={LEAST_REASON}
          autocomplete="off"
          defaultValue={given?.description ?? ''}
          aria-describedby="refund-reason"
        />
        <span class="hint" id="refund-reason">
          At least {LEAST_REASON} characters. Kept with the refund; do not name the customer.
        </span>
      </label>
      <p class="note-block over">
        It is safe to try again after a lost connection: the refund is made only once. The request expires after ten
        days.
      </p>
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
  if (whole === undefined)
    return `Type an amount such as ${(1250.5).toLocaleString(navigator.language, { minimumFractionDigits: exponent, maximumFractionDigits: exponent })}.`
  if (decimals.length > exponent) return `The amount must have at most ${exponent} decimals in ${currency}.`
  return left !== null && units(value) > units(left.value) ? `No more than ${amountText(left)} is left.` : null
}

/** Returns what is left after a refund; null while the amount is not valid, or nothing is known to be left. */
function leftAfter(value: string, payment: PaymentNow): AmountValue | null {
  const { refundableAmount } = payment
  if (refundableAmount === null || problemOf(value, payment) !== null) return null
  const left = String(units(refundableAmount.value) - units(value)).padStart(7, '0')
  return { ...refundableAmount, value: `${left.slice(0, -6)}.${left.slice(-6)}` }
}

/** Returns an amount in millionths, which are exact for all currencies. */
function units(value: string): bigint {
  const [whole = '', decimals = ''] = value.split('.')
  return BigInt(whole + decimals.padEnd(6, '0'))
}
