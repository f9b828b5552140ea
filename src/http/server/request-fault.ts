import { countHeaderLines } from './count-header-lines.ts'

const MAX_HEADERS = 100
const MAX_URL_CHARACTERS = 8 * 1024

/** The status for a request that must not reach a route; null for any other. Names and values alternate in `rawHeaders`. */
export function faultOf(url: string, rawHeaders: readonly string[]): number | null {
  if (url.length > MAX_URL_CHARACTERS) return 414
  // Beyond its own limit Node drops headers in silence, and then nobody knows what was asked.
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431
  // Of two hosts Node keeps the first, and a proxy may have gone by the other.
  return countHeaderLines(rawHeaders, 'host') > 1 ? 400 : null
}
