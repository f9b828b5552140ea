import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Caller, InvalidTokenError, TokenKeysUnavailableError } from '../../access/caller.ts'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Refusal, Answer, AnswerStream } from '../../graphql/engine/request-outcome.ts'
import { preferredType } from '../server/accept.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
import { type HttpAnswer } from '../server/http-answer.ts'
import { RETRY_AFTER_S, retryAfter } from '../server/problem.ts'

/** Returns an error with the HTTP status that goes with it, and the seconds after which a client may retry. */
export function httpError(message: string, code: string, status: number, retryAfterS?: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...retryAfter(retryAfterS), http: { status } } })
}

/** Returns the refusal for an error thrown while a request was read; rethrows internal errors. */
export function refusalFor(error: unknown, { refuse }: Pick<Engine, 'refuse'>): Refusal {
  return refuse([requestError(error)])
}

/** Returns the error of a request that cannot be answered. Throws what is a fault of ours. */
export function requestError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error
  if (error instanceof InvalidTokenError) return httpError(error.message, 'UNAUTHENTICATED', 401)
  if (error instanceof TokenKeysUnavailableError) return httpError(error.message, error.code, 503)
  throw error
}

/**
 * Returns the response with errors only, in the form and with the status of GraphQL over HTTP. As plain JSON a well-formed request is
 * answered 200 whatever is wrong with its operation, because gateways replace the body of a 4xx, and with it the error codes.
 * https://graphql.github.io/graphql-over-http/draft/#sec-application-json
 */
export function refusalAnswer({ headers }: IncomingMessage, { errors, status, challenge }: Refusal): HttpAnswer {
  const { accept, authorization } = headers
  const type = contentTypeFor(accept)
  const head = ['content-type', type]
  if (status === 401) head.push('www-authenticate', challenge ?? bearerChallenge(authorization))
  if (status === 405) head.push('allow', 'POST')
  const waitMs = errors[0]?.extensions?.['retryAfterMs']
  if (typeof waitMs === 'number') head.push('retry-after', String(waitMs / 1000))
  const isWellFormed = status === 400 && errors[0]?.extensions?.['code'] !== 'BAD_REQUEST'
  const isPlain = type === JSON_CONTENT && accept?.includes('callbackSpec') !== true
  return { status: isWellFormed && isPlain ? 200 : status, headers: head, body: JSON.stringify({ errors }) }
}

/** The WWW-Authenticate header of a 401 (RFC 6750, section 3): with an error only if the request had a token. */
function bearerChallenge(authorization: string | undefined): string {
  return /^bearer\b/i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** A request over HTTP whose operation is a subscription. */
export type StreamRequest = {
  readonly exchange: Exchange
  readonly caller: Caller
  readonly operation: OperationRequest
}

/** Responds to the request with the results of its subscription, or with the one result of a refused subscription. */
export type CarryStream = (outcome: Answer | AnswerStream) => void

/** A way to deliver a subscription over HTTP. */
export type StreamCarrier = {
  /** Whether the request asks for this way of delivery. */
  accepts(asked: Pick<StreamRequest, 'exchange' | 'operation'>): boolean
  /** Reserves a place before the subscription begins, or returns why it may not begin. */
  reserve(asked: StreamRequest): CarryStream | GraphQLError
}

/** Browsers and libraries send few different values. */
const MAX_TEXTS = 256
const MAX_CHARACTERS = 256

/** Returns the function, with its results for recent values of a header kept. */
function negotiated<Chosen>(choose: (header: string) => Chosen): (header: string) => Chosen {
  const recent = new LRUCache<string, { readonly chosen: Chosen }>({ max: MAX_TEXTS })
  return (header) => {
    const known = recent.get(header)
    if (known !== undefined) return known.chosen
    const chosen = choose(header)
    if (header.length <= MAX_CHARACTERS) recent.set(header, { chosen })
    return chosen
  }
}

/** The media types of a response to GraphQL over HTTP. */
const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'

/**
 * Returns the `content-type` of the response to a request with this `accept` header: the preferred one, JSON if both are equal. Null
 * if it accepts neither. https://graphql.github.io/graphql-over-http/draft/#sec-Accept
 */
export function responseType(accept: string | undefined): string | null {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return `${JSON_TYPE}; charset=utf-8`
  return preferredResponseType(accept)
}

const preferredResponseType = negotiated((accept) => {
  const preferred = preferredType(accept, [JSON_TYPE, GRAPHQL_TYPE])
  return preferred === null ? null : `${preferred}; charset=utf-8`
})

/** A content coding in which a body is sent (RFC 9110, section 8.4.1). */
type ContentCoding = 'br' | 'gzip'

const CODINGS: readonly string[] = ['br', 'gzip', 'identity']
/** The best of zlib's for text, and the level of Brotli that takes as long. */
const GZIP_LEVEL = 6
const BROTLI_LEVEL = 5

/**
 * Returns the content coding that a client with this `accept-encoding` header prefers, Brotli if it has no preference; null for none
 * (RFC 9110, section 12.5.3).
 */
function responseCoding(acceptEncoding: string | undefined): ContentCoding | null {
  if (acceptEncoding === undefined || acceptEncoding === '') return null
  return preferredCoding(acceptEncoding)
}

/** The library's types lack the option that orders codings which the client prefers equally. */
type EncodingNegotiator = {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[]
}

const preferredCoding = negotiated((acceptEncoding): ContentCoding | null => {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const [preferred] = negotiator.encodings(CODINGS, { preferred: CODINGS })
  return preferred === 'br' || preferred === 'gzip' ? preferred : null
})

const compressors: Readonly<Record<ContentCoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body, { level: GZIP_LEVEL }),
}

/** Returns the body in this coding. The event loop is free meanwhile. */
function compress(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return compressors[coding](body)
}

/** Returns the strong entity tag of a body (RFC 9110, section 8.8.3). */
export function entityTag(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`
}

/** Returns whether a client that sends this If-None-Match already has the body with this tag (RFC 9110, section 13.1.2). */
function hasAlready(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return tags.includes(tag) || (tags.length === 1 && tags[0] === '*')
}

/** Sends the answers to queries and mutations. */
export type AnswerSender = {
  /**
   * Sends an answer. One that is the same for every caller may be kept by caches, a client that has it gets 304, and a larger one is
   * compressed if the client takes that.
   */
  send(exchange: Exchange, answer: Answer): void
  /** Sends an answer from the cache of recent ones, whose bytes are made once. */
  sendRecalled(exchange: Exchange, answer: Answer): void
}

export type AnswerSenderOptions = {
  /** Whether answers that are the same for every caller are compressed. */
  readonly compresses: boolean
  readonly send: (exchange: Exchange, answer: HttpAnswer) => void
}

/** What was made of an answer, for requests that get it again. */
type Content = {
  readonly body: string | Buffer
  tag: string | null
  readonly compressed: Map<ContentCoding, Buffer | Promise<Buffer>>
}

/** A smaller body fits one packet with its header, so that compression would save nothing. */
const MIN_COMPRESSED = 1_024

/**
 * Creates the sender. Answers to one caller are never compressed: they hold secrets beside text that others choose, such as a status
 * token beside a payer's name, and the length of the two together would tell how alike they are (https://breachattack.com).
 */
export function createAnswerSender({ compresses, send }: AnswerSenderOptions): AnswerSender {
  /** Of recalled answers only, because most answers are sent once. */
  const contents = new WeakMap<Answer, Content>()
  const vary = compresses ? 'Accept, Accept-Encoding' : 'Accept'
  const contentOf = (answer: Answer): Content => {
    const known = contents.get(answer)
    if (known !== undefined) return known
    const content = { ...newContent(answer), body: Buffer.from(answer.json) }
    contents.set(answer, content)
    return content
  }

  const sendPublic = (exchange: Exchange, answer: Answer, content: Content): void => {
    const { headers, method } = exchange.request
    const coding =
      compresses && content.body.length >= MIN_COMPRESSED ? responseCoding(headers['accept-encoding']) : null
    const common = { status: 200, cacheControl: `public, max-age=${answer.maxAgeS}`, vary }
    const head = ['content-type', contentTypeFor(headers.accept)]
    const plain = { ...common, headers: head, body: content.body }
    const etag: string[] = []
    if (method === 'GET') {
      content.tag ??= entityTag(answer.json)
      const tag = tagIn(coding, content.tag)
      etag.push('etag', tag)
      if (hasAlready(headers['if-none-match'], tag))
        return send(exchange, { ...common, status: 304, headers: etag, body: null })
    }
    if (coding === null) return send(exchange, { ...plain, headers: [...head, ...etag] })
    const sendCoded = (body: Buffer) =>
      send(exchange, { ...common, headers: [...head, ...etag, 'content-encoding', coding], body })
    const made = content.compressed.get(coding) ?? makeCompressed(content, coding)
    if (Buffer.isBuffer(made)) return sendCoded(made)
    return void made.then(sendCoded, () => send(exchange, plain))
  }

  return {
    send(exchange, answer) {
      const { status, maxAgeS, json } = answer
      if (status === 200 && maxAgeS !== null) return sendPublic(exchange, answer, newContent(answer))
      return send(exchange, {
        status,
        headers: ['content-type', contentTypeFor(exchange.request.headers.accept), ...retryAfterOf(status)],
        body: json,
      })
    },
    sendRecalled(exchange, answer) {
      sendPublic(exchange, answer, contentOf(answer))
    },
  }
}

/** An answer is 503 while the database is away. */
function retryAfterOf(status: number): readonly string[] {
  return status === 503 ? ['retry-after', String(RETRY_AFTER_S)] : []
}

function newContent({ json }: Answer): Content {
  return { body: json, tag: null, compressed: new Map() }
}

async function makeCompressed({ body, compressed }: Content, coding: ContentCoding): Promise<Buffer> {
  const making = compress(Buffer.from(body), coding)
  compressed.set(coding, making)
  const bytes = await making
  compressed.set(coding, bytes)
  return bytes
}

const JSON_CONTENT = 'application/json; charset=utf-8'

function contentTypeFor(accept: string | undefined): string {
  return responseType(accept) ?? JSON_CONTENT
}

/** The tag of a representation: each coding has its own, since its bytes are others (RFC 9110, section 8.8.3.3). */
function tagIn(coding: ContentCoding | null, tag: string): string {
  return coding === null ? tag : `${tag.slice(0, -1)}-${coding}"`
}
