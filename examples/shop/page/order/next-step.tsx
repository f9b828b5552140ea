import { formatAmount } from 'payments-subgraph-client'
import { useSpeech } from '../language.ts'
import { FailedStep, NewLinkButton, PayButtons, type CheckoutWindow } from './failed-step.tsx'
import type { Link, Payment, Stage } from './stage.ts'

export type NextStepProps = {
  readonly stage: Stage
  readonly link: Link
  readonly payment: Payment | null
  readonly serverOffsetMs: number
  readonly checkout: CheckoutWindow
  readonly go: (address: string) => void
}

/** Shows the next action that the graph names for the customer, in words and buttons. */
export function NextStep({ stage, link, payment, serverOffsetMs, checkout, go }: NextStepProps) {
  const { language, texts } = useSpeech()
  switch (stage) {
    case 'ready': {
      const label = texts.pay(formatAmount(link.requestedAmount, language))
      return <PayButtons checkout={checkout} url={link.checkoutUrl} label={label} />
    }
    case 'started':
      return <StartedStep payment={payment} checkout={checkout} />
    case 'failed':
      return payment === null ? null : (
        <FailedStep link={link} payment={payment} serverOffsetMs={serverOffsetMs} checkout={checkout} go={go} />
      )
    case 'expired':
      return (
        <>
          <p>{texts.expiredHint}</p>
          <div class="actions">
            <NewLinkButton link={link} go={go} />
          </div>
        </>
      )
    case 'paid':
    case 'partlyRefunded':
    case 'refunded':
      return (
        <div class="actions">
          <button type="button" onClick={() => go('/shop')}>
            {texts.toShop}
          </button>
        </div>
      )
    default:
      return null
  }
}

type StartedStepProps = { readonly payment: Payment | null; readonly checkout: CheckoutWindow }

/** A payment that needs an action of the customer: on the payment page, at the bank, on the phone, or as the instructions say. */
function StartedStep({ payment, checkout }: StartedStepProps) {
  const { texts } = useSpeech()
  const { kind, url = null } = payment?.nextAction ?? {}
  const isOnPhone = payment?.method?.kind === 'MOBILE_MONEY'
  if (checkout.open !== null || (!isOnPhone && payment?.instructions == null)) {
    const label = kind === 'COMPLETE_3DS' ? texts.confirm3ds : texts.continuePaying
    return url === null ? null : <PayButtons checkout={checkout} url={url} label={label} />
  }
  return (
    <>
      {isOnPhone && <p>{texts.approveOnPhone}</p>}
      {url !== null && (
        <div class="actions">
          <button type="button" onClick={() => checkout.pay(url)}>
            {texts.toPaymentPage}
          </button>
        </div>
      )}
    </>
  )
}
