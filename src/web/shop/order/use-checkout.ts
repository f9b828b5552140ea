import { useState } from 'preact/hooks'
import { type Checkout, openCheckout } from '../../../client/index.ts'

export type CheckoutWindow = {
  /** The payment page in a window of its own; null while none is open. */
  readonly open: Checkout | null
  /** Opens it. Browsers allow that in a click alone, so the order and its link have to be there before. */
  readonly pay: (checkoutUrl: string) => void
}

/** The payment page beside the order's page, or in its place where the browser blocks popups. */
export function useCheckout(): CheckoutWindow {
  const [open, setOpen] = useState<Checkout | null>(null)
  return {
    open,
    pay: (checkoutUrl) => {
      const checkout = openCheckout(checkoutUrl, {
        // What the window says is a hint: whether the payment went through comes from the graph.
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
