import type { IncomingMessage } from 'node:http'

/**
 * Returns whether a page may open a socket: pages of this host and of the listed origins. Requests without an Origin header are not
 * from a browser's page and are accepted. The header must be as browsers write it (RFC 6454, section 6.2): one value, in lower case,
 * without user name, path or default port.
 */
export function createOriginCheck(allowed: readonly string[]): (request: IncomingMessage) => boolean {
  const listed = new Set(allowed)
  return ({ headers: { origin, host } }) => {
    if (origin === undefined) return true
    if (listed.has(origin)) return true
    const page = URL.parse(origin)
    return page !== null && page.origin === origin && page.host === host
  }
}
