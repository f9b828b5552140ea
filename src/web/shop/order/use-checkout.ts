import { useState } from 'preact/hooks'
import { type Checkout, openCheckout } from '../../../client/index.ts'

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
