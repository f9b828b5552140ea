import type { IncomingMessage } from 'node:http'
import { LOOPBACK_ORIGINS } from '../../config/read-setting.ts'
import type { Logger } from '../../observability/logger.ts'

/** Refused origins that are logged: whoever makes up others does not fill the log. */
const MOST_LOGGED = 20

const LOOPBACK_PAGE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/** Which pages of other origins may call from a browser. */
export type Origins = {
  /** The listed origins, and patterns of them. */
  readonly patterns: readonly (string | RegExp)[]
  /** Returns whether an origin is listed. */
  isListed(origin: string): boolean
  /**
   * Returns whether a page may use a response: pages of this host and of the listed origins. Requests without an Origin header are not
   * from a browser's page and are accepted. The header must be as browsers write it (RFC 6454, section 6.2): one value, in lower
   * case, without user name, path or default port. The first refusal of an origin is logged, with the setting to change.
   */
  isAllowed(request: Pick<IncomingMessage, 'headers'>): boolean
}

export function createOrigins(allowed: readonly string[], logger: Pick<Logger, 'warn'>): Origins {
  const patterns = allowed.map((origin) => (origin === LOOPBACK_ORIGINS ? LOOPBACK_PAGE : origin))
  const logged = new Set<string>()
  const isListed = (origin: string) =>
    patterns.some((pattern) => (typeof pattern === 'string' ? pattern === origin : pattern.test(origin)))
  const log = (origin: string) => {
    if (logged.has(origin) || logged.size >= MOST_LOGGED) return
    logged.add(origin)
    logger.warn({ origin, setting: 'ALLOWED_ORIGINS' }, 'a page of another origin was refused')
  }
  return {
    patterns,
    isListed,
    isAllowed({ headers: { origin, host } }) {
      if (origin === undefined || isListed(origin)) return true
      const page = URL.parse(origin)
      const isOwn = page !== null && page.origin === origin && page.host === host
      if (!isOwn) log(origin)
      return isOwn
    },
  }
}
