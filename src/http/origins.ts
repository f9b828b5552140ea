import type { IncomingMessage } from 'node:http'

/**
 * Whether a browser's page may open a socket here: pages of our own host, and the listed origins. Requests without an
 * Origin come from programs, which no browser rule protects, and pass.
 */
export function createOriginCheck(allowed: readonly string[]): (request: IncomingMessage) => boolean {
  const listed = new Set(allowed)
  return ({ headers: { origin, host } }) => {
    if (origin === undefined) return true
    return listed.has(origin) || (host !== undefined && URL.parse(origin)?.host === host)
  }
}
