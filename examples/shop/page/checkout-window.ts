import { type Checkout, openCheckout } from 'payments-subgraph-client'
import { useState } from 'preact/hooks'

export type CheckoutWindow = {
  /** The payment page in a popup; null while none is open. */
  readonly open: Checkout | null
  /** Opens the payment page. */
  readonly pay: (checkoutUrl: string) => void
}

/** Where a second window covers the first one, or cannot be seen at all. */
const HAS_ONE_WINDOW = '(width <= 860px), (pointer: coarse)'

/**
 * Opens the payment page in the place of this page on a phone, in a popup beside it elsewhere. Browsers allow a popup for some seconds after
 * a click; where they block it, the payment page comes in the place of this page too.
 */
export function useCheckout(): CheckoutWindow {
  const [open, setOpen] = useState<Checkout | null>(null)
  return {
    open,
    pay: (checkoutUrl) => {
      if (matchMedia(HAS_ONE_WINDOW).matches) return location.assign(checkoutUrl)
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
