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
