const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'The credentials are missing, or they do not hold.',
  404: 'There is nothing at this address.',
  413: 'The request is too large.',
  414: 'The address is too long.',
  415: 'The content type or the content encoding is not one that is read here.',
  429: 'Too many requests of this address had credentials that do not hold. Try again later.',
  431: 'The request has too many headers.',
  503: 'There is too much to do at the moment. Try again later.',
}

const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 429: 'TOO_MANY_REQUESTS', 503: 'OVERLOADED' }

/** Retry-After of a refusal that is due to the process's own state: by then another process may serve. */
export const RETRY_AFTER_S = 5

/**
 * Returns the body of an error in the form of GraphQL, so that clients read all errors in one way. `retryAfterS` is the value of the header
 * Retry-After, which gateways do not pass on.
 */
export function problem(status: number, retryAfterS?: number) {
  const code = CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
  const message =
    MESSAGES[status] ?? (status >= 500 ? 'The request failed. The fault has been logged.' : 'The request was refused.')
  return { errors: [{ message, extensions: { code, ...retryAfter(retryAfterS) } }] }
}

/** Returns the extension of an error that says when a client may retry; none without seconds. */
export function retryAfter(seconds: number | undefined): { readonly retryAfterMs?: number } {
  return seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }
}

const MAX_HEADERS = 100
const MAX_URL_CHARACTERS = 8 * 1024

/** Returns the status for a request that must not be routed; null for any other. Names and values alternate in `rawHeaders`. */
export function faultOf(url: string, rawHeaders: readonly string[]): number | null {
  if (url.length > MAX_URL_CHARACTERS) return 414
  // Above its own limit Node drops headers silently.
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431
  // Of two Host headers Node keeps the first, and a proxy may have used the other.
  return countHeaderLines(rawHeaders, 'host') > 1 ? 400 : null
}

/** How many lines of a header a request has. Names and values alternate in `rawHeaders`; `name` is in lower case. */
export function countHeaderLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) count += 1
  return count
}
