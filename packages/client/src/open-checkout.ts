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

/** A message that the hosted page posts to the window that opened it. */
export type CheckoutMessage = {
  /** `change`: the status changed. `done`: the customer pressed Done, or the countdown is over. */
  readonly event: 'change' | 'done'
  /** The state that the page shows; null when the message does not say. */
  readonly pageState: 'success' | 'failed' | null
  /** The redirect URLs that the merchant set for the link. Check a URL before you navigate to it. */
  readonly redirectUrls: { readonly success: string | null; readonly failure: string | null }
}

const SUFFIX = '_payment_event'
const EVENTS = new Map([
  ['onChange', 'change'],
  ['onDone', 'done'],
] as const)

/**
 * Parses a message (gap sheet, 29): reads the given key, otherwise the first key that ends in `_payment_event`. Returns null
 * when the data is not a message of the hosted page.
 */
function messageOf(data: unknown, messageKey: string): CheckoutMessage | null {
  if (!isObject(data)) return null
  const key = Object.hasOwn(data, messageKey) ? messageKey : Object.keys(data).find((name) => name.endsWith(SUFFIX))
  const body = key === undefined ? null : data[key]
  if (!isObject(body)) return null
  const event = EVENTS.get(body['event_type'] as 'onChange')
  if (event === undefined) return null
  const state = body['page_state']
  const urls = isObject(body['redirect_url']) ? body['redirect_url'] : {}
  return {
    event,
    pageState: state === 'success' || state === 'failed' ? state : null,
    redirectUrls: { success: textOr(urls['success']), failure: textOr(urls['failure']) },
  }
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
