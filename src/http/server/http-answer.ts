import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { RequestMetrics } from '../../observability/metrics/request-metrics.ts'
import { cutUnreadAnswer } from '../connections/unread-answers.ts'
import type { Origins } from './origins.ts'

/** An answer without the headers that every response has. */
export type HttpAnswer = {
  readonly status: number
  /** Names and values alternate. */
  readonly headers?: readonly string[]
  /** Null for a response that has none, such as a 304. A stream that fails ends the connection. */
  readonly body: string | Buffer | Readable | null
  /** Default: `private, no-store`. */
  readonly cacheControl?: string
  /** Request headers on which the answer depends, besides the origin. */
  readonly vary?: string
  /** Whether the connection ends with it, because what follows on it may be the rest of a body that was not read. */
  readonly closes?: boolean
}

/** Returns an answer with this value as JSON. */
export function jsonAnswer(status: number, value: unknown, headers: readonly string[] = []): HttpAnswer {
  return {
    status,
    headers: ['content-type', 'application/json; charset=utf-8', ...headers],
    body: JSON.stringify(value),
  }
}

export type HttpSender = {
  /** Sends a response with the headers of every response: those for browsers and caches, and CORS. */
  send(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void
  /** Returns the headers of a response that is written by its caller at once; names and values alternate. `status` is 200 by default. */
  headersFor(request: IncomingMessage, answer: Omit<HttpAnswer, 'status' | 'body'>, status?: number): string[]
  /** Destroys the connection of a peer that reads nothing of a response that its caller has begun. */
  cutUnread(response: ServerResponse): void
}

type HttpSenderOptions = {
  readonly publicUrl: string
  /** Null if no other origin is allowed. */
  readonly origins: Pick<Origins, 'isListed'> | null
  readonly isDraining: () => boolean
  /** Milliseconds within which a peer must read some of a response. */
  readonly unreadMs: number
  /** Called when the head of a response is sent. */
  readonly onAnswered: RequestMetrics['requestAnswered'] | undefined
}

/** A request with what its metrics need: set on it, because a map of requests would show in the cost of each. */
export type TimedRequest = IncomingMessage & { route?: string | undefined; receivedAt?: number }

/** The route of what has none, such as a request to an unknown address. */
const NO_ROUTE = 'none'

/** Creates the sender of every response. */
export function createHttpSender({
  publicUrl,
  origins,
  isDraining,
  unreadMs,
  onAnswered,
}: HttpSenderOptions): HttpSender {
  const common = [...safeHeaders(publicUrl)]
  if (origins !== null) common.push('access-control-expose-headers', EXPOSED_HEADERS)
  const varyOf = (vary: string | undefined) =>
    origins === null ? vary : vary === undefined ? 'Origin' : `${vary}, Origin`

  const headersFor: HttpSender['headersFor'] = (
    request: TimedRequest,
    { headers = [], cacheControl = 'private, no-store', vary, closes = false },
    status = 200,
  ) => {
    const { route = NO_ROUTE, receivedAt } = request
    const { origin } = request.headers
    if (receivedAt !== undefined) onAnswered?.(route, status, performance.now() - receivedAt)
    const head = [...common, ...headers, 'cache-control', cacheControl]
    const varies = varyOf(vary)
    if (varies !== undefined) head.push('vary', varies)
    if (origin !== undefined && origins?.isListed(origin) === true) head.push('access-control-allow-origin', origin)
    // A connection that is kept alive after the last response would delay the shutdown by a minute.
    if (closes || isDraining()) head.push('connection', 'close')
    return head
  }
  const cutUnread = (response: ServerResponse) => cutUnreadAnswer(response, unreadMs)
  return {
    headersFor,
    cutUnread,
    send(request, response, answer) {
      // The client has disconnected.
      if (response.destroyed) return
      const { status, body } = answer
      const head = headersFor(request, answer, status)
      if (body instanceof Readable) {
        body.once('error', () => response.destroy()).pipe(response.writeHead(status, head))
        response.once('close', () => body.destroy())
        return cutUnread(response)
      }
      const bytes = body === null ? 0 : Buffer.byteLength(body)
      if (body !== null) head.push('content-length', String(bytes))
      // ASCII has the same bytes in both encodings, and Latin-1 is written without a conversion.
      response.writeHead(status, head).end(body ?? undefined, bytes === body?.length ? 'latin1' : 'utf8')
      cutUnread(response)
    },
  }
}

/**
 * Headers that a page of an allowed origin may read, besides those that browsers always show. A proxy in front can send `traceparent`, by
 * which its operators find a request.
 */
const EXPOSED_HEADERS = 'Retry-After, ETag, traceparent'

const YEAR_S = 31_536_000

/** Nothing served here is a page: nothing may be executed, framed or submitted to. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Returns the headers of every response for browsers and caches: it must not be framed, type-sniffed, stored, or named in a referrer
 * (OWASP, REST security cheat sheet). A route and CORS add their own.
 */
function safeHeaders(publicUrl: string): readonly string[] {
  return Object.entries({
    'content-security-policy': NO_PAGE,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    // Ignored over plain http. Behind a proxy that terminates TLS, only the public URL shows that TLS is used.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  }).flat()
}

/** Seconds for which a browser may cache a preflight. */
const PREFLIGHT_S = 600

/** Returns the answer to a CORS preflight (WHATWG Fetch, section 4.8); null for another request. */
export function preflightAnswer(
  { method, headers }: IncomingMessage,
  { isListed }: Pick<Origins, 'isListed'>,
): HttpAnswer | null {
  const { origin, 'access-control-request-method': asked, 'access-control-request-headers': names } = headers
  if (method !== 'OPTIONS' || origin === undefined || asked === undefined) return null
  if (!isListed(origin)) return { status: 204, body: null }
  const allowed = ['access-control-allow-methods', 'GET, POST', 'access-control-max-age', String(PREFLIGHT_S)]
  if (names !== undefined) allowed.push('access-control-allow-headers', names)
  return { status: 204, headers: allowed, body: null }
}
