import { useState } from 'preact/hooks'
import { type Checkout, openCheckout } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'

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

export type CheckoutWindow = {
  /** The payment page in a popup; null while none is open. */
  readonly open: Checkout | null
  /** Opens the popup. Browsers allow this only in a click handler, so the order and its link must exist before. */
  readonly pay: (checkoutUrl: string) => void
}

/** Opens the payment page in a popup, or in this window when the browser blocks popups. */
export function useCheckout(): CheckoutWindow {
  const [open, setOpen] = useState<Checkout | null>(null)
  return {
    open,
    pay: (checkoutUrl) => {
      const checkout = openCheckout(checkoutUrl, {
        // The popup's messages are a hint: the graph says whether the payment succeeded.
        onMessage: ({ event }) => {
          if (event === 'done') checkout.close()
        },
      })
      if (checkout.mode === 'redirect') return
      setOpen(checkout)
      void checkout.closed.then(() => setOpen((current) => (current === checkout ? null : current)))
    },
  }
}
