import { useSpeech } from '../language.ts'
import type { CheckoutWindow } from './use-checkout.ts'

type PayButtonsProps = {
  readonly checkout: CheckoutWindow
  readonly url: string
  readonly label: string
  readonly disabled?: boolean
  /** Whether another action is recommended instead. */
  readonly isSecond?: boolean
}

/** Buttons that open the payment page in a popup or in this window. */
export function PayButtons({ checkout, url, label, disabled = false, isSecond = false }: PayButtonsProps) {
  const { texts } = useSpeech()
  if (checkout.open !== null)
    return (
      <div class="actions">
        <p>{texts.inWindow}</p>
        <button type="button" class="primary" onClick={() => checkout.open?.focus()}>
          {texts.showWindow}
        </button>
      </div>
    )
  return (
    <div class="actions">
      <button type="button" class={isSecond ? '' : 'primary'} disabled={disabled} onClick={() => checkout.pay(url)}>
        {label}
      </button>
      <button type="button" disabled={disabled} onClick={() => location.assign(url)}>
        {texts.payHere}
      </button>
      <p class="quiet">{texts.payInPopup}</p>
    </div>
  )
}
