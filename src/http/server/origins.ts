import type { IncomingMessage } from 'node:http'
import type { HttpConfig } from '../../config.ts'
import { LOOPBACK_ORIGINS } from '../../config/parsers.ts'
import type { Logger } from '../../observability/logger.ts'

/** Refused origins that are logged: whoever makes up others does not fill the log. */
const MOST_LOGGED = 20

/** Returns how to log refused origins, each once, with the setting that would allow them. */
export function logOnce(logger: Pick<Logger, 'warn'>, setting: string, message: string): (origin: string) => void {
  const logged = new Set<string>()
  return (origin) => {
    if (logged.has(origin) || logged.size >= MOST_LOGGED) return
    logged.add(origin)
    logger.warn({ origin, setting }, message)
  }
}

const LOOPBACK_PAGE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/** Which pages of other origins may call from a browser. */
export type Origins = {
  /** Returns whether an origin is listed. */
  isListed(origin: string): boolean
  /**
   * Returns whether a page may use a response: pages of this host, of the public URL, whatever Host a proxy sends, and of the listed
   * origins. Requests without an Origin header are not
   * from a browser's page and are accepted. The header must be as browsers write it (RFC 6454, section 6.2): one value, in lower
   * case, without user name, path or default port. The first refusal of an origin is logged, with the setting to change.
   */
  isAllowed(request: Pick<IncomingMessage, 'headers'>): boolean
}

export function createOrigins(
  { allowedOrigins, publicUrl }: Pick<HttpConfig, 'allowedOrigins' | 'publicUrl'>,
  logger: Pick<Logger, 'warn'>,
): Origins {
  const publicOrigin = new URL(publicUrl).origin
  const patterns = allowedOrigins.map((origin) => (origin === LOOPBACK_ORIGINS ? LOOPBACK_PAGE : origin))
  const isListed = (origin: string) =>
    patterns.some((pattern) => (typeof pattern === 'string' ? pattern === origin : pattern.test(origin)))
  const log = logOnce(logger, 'ALLOWED_ORIGINS', 'a page of another origin was refused')
  return {
    isListed,
    isAllowed({ headers: { origin, host } }) {
      if (origin === undefined || origin === publicOrigin || isListed(origin)) return true
      const page = URL.parse(origin)
      // A proxy may name the default port too.
      const usualPort = page?.protocol === 'http:' ? ':80' : ':443'
      const asked = host?.toLowerCase()
      const isOwn = page?.origin === origin && (page.host === asked || page.host + usualPort === asked)
      if (!isOwn) log(origin)
      return isOwn
    },
  }
}
