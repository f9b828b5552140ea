import { Readable } from 'node:stream'
import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import type { Dispatcher } from 'undici'
import type { Method } from '../resilience/resilience-policy.ts'
import {
  type AnswerHeaders,
  notSent,
  type NotSentReason,
  unknownOutcome,
  type UnknownReason,
  type RawAnswer,
} from '../upstream-fault.ts'
import type { Site } from './sites.ts'

export type WireRequest = {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  /** Path and query, relative to the origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A body of chunks is sent as it comes; if it throws, the connection is cut. */
  readonly body: string | AsyncIterable<Uint8Array> | null
}

export type ExchangeLimits = {
  /** Time limit for the response headers, from the start of the request. */
  readonly headersMs: number
  /** Time limit for the whole exchange, including the connection. */
  readonly totalMs: number
  readonly answerBytes: number
}

/**
 * Sends one request and returns its response, of any status; redirects are not followed. Rejects with an `UpstreamFault`:
 * `not-sent` if no byte of the request was written, `unknown` otherwise. If the status has arrived, the response is returned even
 * if its body fails, because the status alone proves a refusal.
 */
export function exchange(dispatcher: Dispatcher, request: WireRequest, limits: ExchangeLimits): Promise<RawAnswer> {
  const handler = new ExchangeHandler(limits)
  dispatcher.dispatch(
    {
      origin: request.origin,
      method: request.method,
      path: request.path,
      headers: { ...request.headers },
      body: typeof request.body === 'object' && request.body !== null ? Readable.from(request.body) : request.body,
      // The handler has its own timers: precise to the millisecond, and over the whole body instead of between two chunks.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    handler,
  )
  return handler.answer
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #settled = Promise.withResolvers<RawAnswer>()
  readonly #deadline: NodeJS.Timeout
  #headersDeadline: NodeJS.Timeout | undefined
  readonly #limits: ExchangeLimits
  #controller: Dispatcher.DispatchController | null = null
  #head: { status: number; headers: AnswerHeaders } | null = null
  #chunks: Uint8Array[] = []
  #size = 0
  #over = false

  constructor(limits: ExchangeLimits) {
    this.#limits = limits
    this.#deadline = setTimeout(() => this.#cut('timeout'), Math.max(limits.totalMs, 0))
  }

  get answer(): Promise<RawAnswer> {
    return this.#settled.promise
  }

  /** Called when a connection is open, just before the first byte: aborting here means that nothing was sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) {
      controller.abort(new Error('The deadline has passed.'))
      return
    }
    this.#controller = controller
    this.#headersDeadline = setTimeout(() => this.#cut('timeout'), this.#limits.headersMs)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return
    clearTimeout(this.#headersDeadline)
    this.#head = { status, headers }
    if (isEncoded(headers)) this.#cut('encoded')
    else if (Number(headers['content-length'] ?? 0) > this.#limits.answerBytes) this.#cut('too-large')
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#size += chunk.byteLength
    if (this.#size > this.#limits.answerBytes) this.#cut('too-large')
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#finish(Buffer.concat(this.#chunks))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#controller === null) this.#fail(notSent(connectReason(error)))
    else this.#finish('reset')
  }

  #cut(reason: UnknownReason): void {
    if (this.#controller === null) this.#fail(notSent('connect-timeout'))
    else this.#finish(reason)
    this.#controller?.abort(new Error('The answer is not wanted any more.'))
  }

  #finish(body: Uint8Array | UnknownReason): void {
    const head = this.#head
    if (head === null) this.#fail(unknownOutcome(typeof body === 'string' ? body : 'reset'))
    else this.#settle(() => this.#settled.resolve({ ...head, body }))
  }

  #fail(fault: Error): void {
    this.#settle(() => this.#settled.reject(fault))
  }

  #settle(settle: () => void): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#deadline)
    clearTimeout(this.#headersDeadline)
    settle()
    this.#chunks = []
  }
}

/**
 * The codings that change bytes: https://www.iana.org/assignments/http-parameters/#content-coding. None was asked for. A word that is none of
 * them, such as `utf-8` or `none`, says nothing: the body is read, and proves itself.
 */
const CODINGS = /^(?:x-)?(?:gzip|compress|deflate|br|zstd|dcb|dcz|exi|aes128gcm|pack200-gzip)$/

function isEncoded(headers: AnswerHeaders): boolean {
  const encodings = [headers['content-encoding'] ?? []].flat().join(',').toLowerCase().split(',')
  return encodings.some((encoding) => CODINGS.test(encoding.trim()))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

type ConnectReason = Exclude<NotSentReason, 'breaker-open'>

const REASONS: readonly (readonly [RegExp, ConnectReason])[] = [
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect-timeout'],
  [
    /^(UND_ERR_PRX_TLS$|ERR_TLS_|ERR_SSL_|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/,
    'tls',
  ],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'closed'],
  [/^UND_ERR_INVALID_ARG$/, 'invalid-request'],
]

function connectReason(error: Error): ConnectReason {
  const code = codeOf(error)
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable'
}

export type UpstreamRequest = {
  readonly method: Method
  /** Relative to the base URL, with a leading slash: `/v3/payin_links`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | null | undefined>>
  /** Serialised as JSON; exact numbers keep their digits. */
  readonly body?: unknown
  /** Further headers; they cannot replace the credentials. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds over all attempts, if shorter than the transport's own deadline. */
  readonly withinMs?: number
  /** Instant of `performance.now()` from which the deadlines count, if another request preceded this one. Default: now. */
  readonly startedAt?: number
}

/**
 * Parses the base URL of the payments API (docs/payments-api.md, section 5: https for all calls). Throws `TypeError` for a URL
 * that is neither https nor on loopback, or that contains more than host, port and path.
 */
export function baseAddress(baseUrl: string): URL {
  const base = new URL(baseUrl)
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && isLoopbackHost(base.hostname)))
    throw new TypeError('The base address of the payments API must be https, or http on loopback.')
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '')
    throw new TypeError('The base address of the payments API must hold nothing but host, port and path.')
  return base
}

/** A body that is sent as it comes. */
export type UpstreamUpload = {
  /** Relative to the base URL, with a leading slash. */
  readonly path: string
  readonly body: { readonly contentType: string; readonly bytes: AsyncIterable<Uint8Array> }
}

/** Builds the request of an upload. */
export function uploadRequest(base: URL, site: Site, { path, body }: UpstreamUpload, requestId: string): WireRequest {
  const { contentType, bytes } = body
  const plain = wireRequest(base, site, { method: 'POST', path }, requestId)
  return { ...plain, body: bytes, headers: { ...plain.headers, 'content-type': contentType } }
}

/** Builds the request once, before the first attempt, so that all attempts are identical. */
export function wireRequest(base: URL, site: Site, asked: UpstreamRequest, requestId: string): WireRequest {
  const body = asked.body === undefined ? null : stringifyExactJson(asked.body)
  return {
    origin: base.origin,
    method: asked.method,
    path: `${base.pathname.endsWith('/') ? base.pathname.slice(0, -1) : base.pathname}${asked.path}${queryText(asked.query ?? {})}`,
    body,
    headers: {
      ...lowerCased(asked.headers ?? {}),
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      'x-request-id': requestId,
      'app-id': site.appId,
      'secret-key': site.secretKey.reveal(),
    },
  }
}

function queryText(query: NonNullable<UpstreamRequest['query']>): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== null && value !== undefined) parameters.append(key, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
