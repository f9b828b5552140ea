import { keptOrder } from '../basket/basket.ts'
import { useSpeech } from '../language.ts'
import { NewLinkButton } from './new-link-button.tsx'
import { PayButtons } from './pay-buttons.tsx'
import type { Link, Payment } from './payment-link.ts'
import type { CheckoutWindow } from './use-checkout.ts'
import { useHasCome } from './use-has-come.ts'

type FailedStepProps = {
  readonly link: Link
  readonly payment: Payment
  readonly serverOffsetMs: number
  readonly checkout: CheckoutWindow
  readonly go: (address: string) => void
}

/** The amount of a link is fixed, so another amount needs a new attempt. */
const CHANGES_AMOUNT: ReadonlySet<string> = new Set(['LOWER_AMOUNT', 'HIGHER_AMOUNT'])

/** Says why a payment failed, and what the customer can do. */
export function FailedStep({ link, payment, serverOffsetMs, checkout, go }: FailedStepProps) {
  const { language, texts } = useSpeech()
  const { failure, nextAction } = payment
  const notBefore = failure?.retryNotBefore ?? null
  const mayTry = useHasCome(notBefore, serverOffsetMs)
  if (failure === null) return null

  const { retry } = failure
  const changesAmount = CHANGES_AMOUNT.has(retry)
  // Without a method from the basket, the payment page offers all methods.
  const changesMethod = retry === 'OTHER_METHOD' && keptOrder(link.reference)?.order.methodCode !== undefined
  return (
    <>
      <p>{failure.customerMessage}</p>
      <p>
        {/* The graph may add further advice values. */}
        {Object.hasOwn(texts.advice, retry) ? texts.advice[retry] : texts.advice.LATER}{' '}
        {notBefore !== null && !mayTry && texts.notBefore(timeText(notBefore, language))}
      </p>
      {(changesAmount || changesMethod) && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => go('/shop')}>
            {changesAmount ? texts.changeBasket : texts.otherMethod}
          </button>
        </div>
      )}
      {nextAction?.kind === 'OPEN_CHECKOUT' && (
        <PayButtons
          checkout={checkout}
          url={link.checkoutUrl}
          label={texts.payAgain}
          disabled={!mayTry}
          isSecond={changesMethod}
        />
      )}
      {nextAction?.kind === 'START_AGAIN' && !changesAmount && (
        <div class="actions">
          <NewLinkButton link={link} go={go} disabled={!mayTry} />
        </div>
      )}
    </>
  )
}

function timeText(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))
}
