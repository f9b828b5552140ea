import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostCheck } from 'payments-subgraph-lib/known-hosts'
import type { HttpConfig } from '../../config.ts'
import { LOOPBACK_ORIGINS } from '../../config/parsers.ts'
import type { Logger } from '../../observability/logger.ts'

/** The handler of a server's requests. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** An answer without the headers that every response has. */
export type DirectAnswer = {
  readonly status: number
  /** Names and values alternate. */
  readonly headers?: readonly string[]
  /** Null for a response that has none, such as a 304. */
  readonly body: string | Buffer | null
  /** Default: `private, no-store`. */
  readonly cacheControl?: string
  /** Request headers on which the answer depends, besides the origin. */
  readonly vary?: string
  /** Whether the connection ends with it, because what follows on it may be the rest of a body that was not read. */
  readonly closes?: boolean
}

/** Answers a request to `path`, which is its URL without the query; returns false to leave it to the framework. */
export type DirectHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/**
 * Answers requests without the framework: its work for a request costs as much as the answer to a query that was answered before, and more
 * than a refusal may.
 */
export type DirectAnswers = {
  /** Sets the handler of the paths with this first segment, such as `/graphql`. */
  handle(segment: string, handler: DirectHandler): void
  /** Sends a response with the headers of every response: those for browsers and caches, and CORS. */
  send(request: IncomingMessage, response: ServerResponse, answer: DirectAnswer): void
  /** Returns the headers of a response that is written by its caller; names and values alternate. */
  headersFor(request: IncomingMessage, answer: Omit<DirectAnswer, 'status' | 'body'>): string[]
}

type DirectAnswersOptions = {
  readonly publicUrl: string
  /** Null if no other origin is allowed. */
  readonly origins: Pick<Origins, 'isListed'> | null
  readonly isAllowed: Origins['isAllowed']
  readonly isKnownHost: HostCheck
  readonly isDraining: () => boolean
  /** Milliseconds within which a peer must read some of a response. */
  readonly unreadMs: number
}

const CACHE_CONTROL = 'cache-control'
const PRIVATE = 'private, no-store'

/** Returns the listener that passes a request to the handler of its path, and to `route` if there is none. */
export function createDirectAnswers(options: DirectAnswersOptions) {
  const { publicUrl, origins, isAllowed, isKnownHost, isDraining, unreadMs } = options
  const handlers = new Map<string, DirectHandler>()
  const common = Object.entries(safeHeaders(publicUrl)).flatMap(([name, value]) =>
    name === CACHE_CONTROL ? [] : [name, value],
  )
  if (origins !== null) common.push('access-control-expose-headers', EXPOSED_HEADERS)
  const varyOf = (vary: string | undefined) =>
    origins === null ? vary : vary === undefined ? 'Origin' : `${vary}, Origin`

  const answers: DirectAnswers = {
    handle: (segment, handler) => void handlers.set(segment, handler),
    headersFor({ headers: { origin } }, { headers = [], cacheControl = PRIVATE, vary, closes = false }) {
      const head = [...common, ...headers, CACHE_CONTROL, cacheControl]
      const varies = varyOf(vary)
      if (varies !== undefined) head.push('vary', varies)
      if (origin !== undefined && origins?.isListed(origin) === true) head.push('access-control-allow-origin', origin)
      // A connection that is kept alive after the last response would delay the shutdown by a minute.
      if (closes || isDraining()) head.push('connection', 'close')
      return head
    },
    send(request, response, answer) {
      // The client has disconnected.
      if (response.destroyed) return
      const { status, body } = answer
      const head = answers.headersFor(request, answer)
      const bytes = body === null ? 0 : Buffer.byteLength(body)
      if (body !== null) head.push('content-length', String(bytes))
      // ASCII has the same bytes in both encodings, and Latin-1 is written without a conversion.
      response.writeHead(status, head).end(body ?? undefined, bytes === body?.length ? 'latin1' : 'utf8')
      cutUnreadAnswer(response, unreadMs)
    },
  }
  const routeUnlessTaken =
    (route: RequestListener): RequestListener =>
    (request, response) => {
      if (!isKnownHost(request)) return answers.send(request, response, UNKNOWN_HOST)
      const { url = '', rawHeaders, headers } = request
      const path = pathOf(url)
      const second = path.indexOf('/', 1)
      const handler = handlers.get(second === -1 ? path : path.slice(0, second))
      if (handler === undefined) return route(request, response)
      const fault = faultOf(url, rawHeaders)
      if (fault !== null) return answers.send(request, response, { ...problemAnswer(fault), closes: true })
      // Called for its log line: the request is answered, and the browser withholds the response from the page.
      if (headers.origin !== undefined) isAllowed(request)
      if (!handler(request, response, path)) route(request, response)
    }
  return { answers, routeUnlessTaken }
}

/** Milliseconds within which a peer must read some of a response. */
export const UNREAD_MS = 10_000

/**
 * Destroys the connection of a peer that has read nothing of a response for so many milliseconds, because the response stays in
 * memory. A slow peer that reads some of it is kept, and so is one that waits for a part that is not there yet. Meanwhile nothing is
 * read from the peer, because what it sends would also count as activity of the connection. Called when the response has been
 * written, or its stream has begun.
 */
export function cutUnreadAnswer(response: ServerResponse, milliseconds: number): void {
  const { socket } = response
  // Most responses have been passed to the system by now; others, such as files, are in the next turn of the event loop.
  if (socket === null || (response.writableEnded && socket.writableLength === 0)) return
  setImmediate(() => {
    if (response.writableFinished || response.destroyed) return
    socket.setTimeout(milliseconds)
    const onIdle = () => {
      if (response.writableLength > 0) socket.destroy()
      // The next part is not there yet, which is no fault of the peer.
      else socket.setTimeout(milliseconds)
    }
    response.on('timeout', onIdle)
    response.once('finish', () => {
      response.off('timeout', onIdle)
      socket.resume()
      // By now Node has set the keep-alive timeout, unless a pipelined request follows.
      if (socket.timeout === milliseconds) socket.setTimeout(0)
    })
    socket.pause()
  })
}

/**
 * Returns the path of a request's target, without its query. Proxies send absolute targets (RFC 9112, section 3.2.2), and may escape letters;
 * of a target that cannot be read, the path is empty.
 */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (path.startsWith('/') && !path.includes('%')) return path
  try {
    return decodeURI(path.startsWith('/') ? path : new URL(path).pathname)
  } catch {
    return ''
  }
}

/** What a problem's answer has besides its body. */
type ProblemParts = { readonly headers?: readonly string[]; readonly retryAfterS?: number }

/** Returns the answer with the body of `problem`; `retryAfterS` is also its Retry-After. */
export function problemAnswer(status: number, { headers = [], retryAfterS }: ProblemParts = {}): DirectAnswer {
  const waiting = retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)]
  return {
    status,
    headers: [...JSON_HEADERS, ...waiting, ...headers],
    body: JSON.stringify(problem(status, retryAfterS)),
  }
}

const JSON_HEADERS = ['content-type', 'application/json; charset=utf-8']

const UNKNOWN_HOST: DirectAnswer = {
  status: 403,
  headers: JSON_HEADERS,
  body: JSON.stringify({
    errors: [
      {
        message: 'This server is not known by the host name of the request. ALLOWED_HOSTS lists further names.',
        extensions: { code: 'FORBIDDEN' },
      },
    ],
  }),
  closes: true,
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
    [CACHE_CONTROL]: PRIVATE,
    // Ignored over plain http. Behind a proxy that terminates TLS, only the public URL shows that TLS is used.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}

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
  /** The listed origins, and patterns of them. */
  readonly patterns: readonly (string | RegExp)[]
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
    patterns,
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
  return { errors: [{ message, extensions: { code, ...retryAfter(retryAfterS) } }] as const }
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
