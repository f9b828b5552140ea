import { messageOf, type CheckoutMessage } from './checkout-message.ts'

export type CheckoutOptions = {
  /** Key of the hosted page's messages. Default: `svc_payment_event`. */
  readonly messageKey?: string
  /** Features of the popup, as `window.open` takes them, without `noopener`. Default: a window of 480 by 760. */
  readonly features?: string
  /**
   * Called for each message of the hosted page. A hint for the page, never the payment's status: use `watchPaymentLink` for
   * that.
   */
  readonly onMessage?: (message: CheckoutMessage) => void
  /** When aborted, closes the popup and stops listening. */
  readonly signal?: AbortSignal
  /** Navigates to the hosted page when there is no popup. Default: `location.assign`. */
  readonly redirect?: (url: string) => void
}

export type Checkout = {
  readonly mode: 'popup' | 'redirect'
  /** Resolves when the popup is closed; at once after a redirect. */
  readonly closed: Promise<void>
  focus(): void
  close(): void
}

const MESSAGE_KEY = 'svc_payment_event'
const FEATURES = 'popup,width=480,height=760'
/** Milliseconds between two checks of a popup: no event reports that it was closed. */
const LOOK_MS = 300

/**
 * Opens the hosted page in a popup, or redirects to it when the browser blocks popups. Call it directly in the click
 * handler, before any `await`.
 *
 * @example
 * button.onclick = () => {
 *   const checkout = openCheckout(link.checkoutUrl, { onMessage: ({ event }) => event === 'done' && checkout.close() })
 * }
 */
export function openCheckout(checkoutUrl: string, options: CheckoutOptions = {}): Checkout {
  const { messageKey = MESSAGE_KEY, features = FEATURES, onMessage, signal, redirect = goTo } = options
  const { origin } = new URL(checkoutUrl)
  const popup = signal?.aborted === true ? null : window.open(checkoutUrl, '_blank', features)
  if (popup === null || popup.closed) {
    if (signal?.aborted !== true) redirect(checkoutUrl)
    return { mode: 'redirect', closed: Promise.resolve(), focus: () => {}, close: () => {} }
  }

  const { promise: closed, resolve } = promiseParts()
  const hear = (event: MessageEvent<unknown>) => {
    if (event.origin !== origin || event.source !== popup) return
    const message = messageOf(event.data, messageKey)
    if (message !== null) onMessage?.(message)
  }
  const end = () => {
    clearInterval(looking)
    window.removeEventListener('message', hear)
    signal?.removeEventListener('abort', close)
    resolve()
  }
  const close = () => {
    popup.close()
    end()
  }
  const looking = setInterval(() => {
    if (popup.closed) end()
  }, LOOK_MS)
  window.addEventListener('message', hear)
  signal?.addEventListener('abort', close)
  return { mode: 'popup', closed, focus: () => popup.focus(), close }
}

function goTo(url: string): void {
  location.assign(url)
}

function promiseParts(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
