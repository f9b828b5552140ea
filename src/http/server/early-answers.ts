import type { IncomingMessage, ServerResponse } from 'node:http'
import { LOOPBACK_ORIGINS } from '../../config/read-setting.ts'
import type { Logger } from '../../observability/logger.ts'
import { cutUnreadAnswer, type RequestListener } from '../connections/connections.ts'

export type EarlyAnswer = {
  readonly status: number
  /** Names and values alternate; without the headers that every response has. */
  readonly headers: readonly string[]
  readonly body: string
}

/** Answers requests before the framework handles them, because its work for a request costs more than a refusal may. */
export type EarlyAnswers = {
  /** Sets the handler that may answer a request before it is routed. It returns whether it did. */
  setHandler(handle: (request: IncomingMessage, response: ServerResponse) => boolean): void
  /** Sends a response with the headers of a routed one: those for browsers and caches, and CORS. */
  send(request: IncomingMessage, response: ServerResponse, answer: EarlyAnswer): void
}

type EarlyAnswersOptions = {
  readonly publicUrl: string
  /** Null if no other origin is allowed. */
  readonly origins: Pick<Origins, 'isListed'> | null
  readonly isDraining: () => boolean
  /** Milliseconds within which a peer must read some of a response. */
  readonly unreadMs: number
}

/** Returns the listener that passes a request to the early handler, and to `route` if that has not answered it. */
export function createEarlyAnswers(options: EarlyAnswersOptions) {
  const { publicUrl, origins, isDraining, unreadMs } = options
  const common = [
    ...Object.entries(safeHeaders(publicUrl)).flat(),
    ...(origins !== null ? ['vary', 'Origin', 'access-control-expose-headers', EXPOSED_HEADERS] : []),
  ]
  let takes: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  const answers: EarlyAnswers = {
    setHandler: (handle) => void (takes = handle),
    send(request, response, { status, headers, body }) {
      // The client has disconnected.
      if (response.destroyed) return
      const head = [...common, ...headers, 'content-length', String(Buffer.byteLength(body))]
      const { origin } = request.headers
      if (origin !== undefined && origins?.isListed(origin) === true) head.push('access-control-allow-origin', origin)
      if (isDraining()) head.push('connection', 'close')
      response.writeHead(status, head).end(body)
      cutUnreadAnswer(response, unreadMs)
    },
  }
  const routeUnlessTaken =
    (route: RequestListener): RequestListener =>
    (request, response) => {
      if (!takes(request, response)) route(request, response)
    }
  return { answers, routeUnlessTaken }
}

/**
 * Headers that a page of an allowed origin may read, besides those that browsers always show. A proxy in front can send `traceparent`, by
 * which its operators find a request.
 */
export const EXPOSED_HEADERS = 'Retry-After, ETag, traceparent'

const YEAR_S = 31_536_000

/** Nothing served here is a page: nothing may be executed, framed or submitted to. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Returns the headers of every response for browsers and caches: it must not be framed, type-sniffed, stored, or named in a referrer
 * (OWASP, REST security cheat sheet). A route and CORS add their own.
 */
export function safeHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': NO_PAGE,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
    // Ignored over plain http. Behind a proxy that terminates TLS, only the public URL shows that TLS is used.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}

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
