import type { IncomingMessage } from 'node:http'

/**
 * Whether a browser's page may open a socket here: pages of our own host, and the listed origins. Requests without an
 * Origin come from programs, which no browser rule protects, and pass. An Origin counts as browsers write it (RFC 6454,
 * section 6.2): one, in lower case, without user name, path or default port.
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
