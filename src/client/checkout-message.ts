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
export function messageOf(data: unknown, messageKey: string): CheckoutMessage | null {
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
