import { type ExactJson, parseExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { isRecord, textFrom } from './wire/values/readers.ts'

export type RawAnswer = {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The bytes, or the reason why they could not be read. */
  readonly body: Uint8Array | UnknownReason
}

/**
 * Why a request cannot have reached the payments API. `invalid-request`: rejected by our own validation. `no-token`: the payments
 * API issued no access token. `breaker-open`: too many earlier requests had failed.
 */
export type NotSentReason =
  | 'dns'
  | 'refused'
  | 'tls'
  | 'connect-timeout'
  | 'unreachable'
  | 'no-slot'
  | 'closed'
  | 'no-token'
  | 'invalid-request'
  | 'breaker-open'

/** Why the effect of a request is unknown. */
export type UnknownReason =
  | 'timeout'
  | 'reset'
  | 'server-error'
  | 'redirect'
  | 'unexpected-status'
  | 'empty'
  | 'encoded'
  | 'too-large'
  | 'not-utf8'
  | 'not-json'
  | 'misshapen'
  | 'mismatch'
  | 'not-read-back'

type FieldFault = { readonly path: string; readonly message: string }

/**
 * A failed request, classified by what is certain about it. Only `refused` and `forbidden` contain text of the payments API, which may repeat
 * payer data.
 */
export type FaultDetail =
  /** The request certainly had no effect. */
  | { readonly kind: 'not-sent'; readonly reason: Exclude<NotSentReason, 'breaker-open'> }
  | { readonly kind: 'not-sent'; readonly reason: 'breaker-open'; readonly retryAfterSeconds: number }
  /** The payments API refused this request. */
  | {
      readonly kind: 'refused'
      readonly httpStatus: number
      readonly code: string | null
      readonly message: string | null
      readonly fields: readonly FieldFault[]
    }
  /**
   * The payments API accepts the credentials, and does not allow this request with them (HTTP 403). Nothing was done, and an operator
   * may have it allowed. Wrong credentials are answered with 401 (docs/payments-api.md, section 5).
   */
  | {
      readonly kind: 'forbidden'
      readonly httpStatus: number
      readonly code: string | null
      readonly message: string | null
      readonly fields: readonly FieldFault[]
    }
  /** The payments API does not accept the credentials of the site. */
  | { readonly kind: 'credentials'; readonly httpStatus: number; readonly site: string | null }
  /** The payments API asks us to slow down. */
  | { readonly kind: 'throttled'; readonly httpStatus: number; readonly retryAfterSeconds: number | null }
  /** The request was sent, and no usable answer came back: a POST may or may not have taken effect. */
  | {
      readonly kind: 'unknown'
      readonly reason: UnknownReason
      readonly httpStatus: number | null
      readonly retryAfterSeconds: number | null
    }

type FaultKind = FaultDetail['kind']

type FaultCode = Exclude<FaultKind, 'not-sent' | 'unknown'> | `not-sent.${NotSentReason}` | `unknown.${UnknownReason}`

/** Response headers, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * A failed request to the payments API. `detail` is a union discriminated by `kind`. The error's message is ours and contains
 * neither upstream text nor secrets; `detail` is not enumerable, so that a logger which copies the properties of an error omits
 * upstream text.
 */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly #detail: FaultDetail

  constructor(detail: FaultDetail, note?: string) {
    super(note === undefined ? sentence(detail) : `${sentence(detail)} ${note}`)
    this.#detail = detail
  }

  get kind(): FaultKind {
    return this.#detail.kind
  }

  get detail(): FaultDetail {
    return this.#detail
  }

  /** Short code for logs and metrics, from a fixed list: `refused`, `not-sent.dns`, `unknown.timeout`. */
  get code(): FaultCode {
    const detail = this.#detail
    return 'reason' in detail ? (`${detail.kind}.${detail.reason}` as FaultCode) : detail.kind
  }
}

/**
 * Returns the fault of a request that cannot have had any effect. `note` is added to the message and must not contain upstream
 * text.
 */
export function notSent(reason: Exclude<NotSentReason, 'breaker-open'>, note?: string): UpstreamFault {
  return new UpstreamFault({ kind: 'not-sent', reason }, note)
}

/**
 * Returns the fault of a request that was not sent because the circuit breaker is open; `retryAfterSeconds` is the time to the
 * next probe.
 */
export function breakerOpen(retryAfterSeconds: number): UpstreamFault {
  return new UpstreamFault({ kind: 'not-sent', reason: 'breaker-open', retryAfterSeconds })
}

/** Returns a fault whose outcome is unknown. */
export function unknownOutcome(reason: UnknownReason, httpStatus: number | null = null): UpstreamFault {
  return new UpstreamFault({ kind: 'unknown', reason, httpStatus, retryAfterSeconds: null })
}

/**
 * Returns the fault for a response with a status other than 2xx. `body` is null if the text was unreadable: the status alone
 * proves a refusal. Reads every documented form of error body (gap sheet, section 1). `now` (milliseconds since the epoch)
 * replaces a missing Date header if Retry-After is a date.
 */
export function fromResponse(
  status: number,
  headers: AnswerHeaders,
  body: string | null,
  context: { readonly site?: string; readonly now?: number } = {},
): UpstreamFault {
  const retryAfterSeconds = retryAfter(headers, context.now ?? Date.now())
  if (status === 401) return new UpstreamFault({ kind: 'credentials', httpStatus: status, site: context.site ?? null })
  if (status === 429) return new UpstreamFault({ kind: 'throttled', httpStatus: status, retryAfterSeconds })
  if (status >= 400 && status < 500) {
    const kind = status === 403 ? 'forbidden' : 'refused'
    return new UpstreamFault({ kind, httpStatus: status, ...readErrorBody(body) })
  }
  return new UpstreamFault({ kind: 'unknown', reason: reasonOf(status), httpStatus: status, retryAfterSeconds })
}

/** Longer waits are reduced to this, in seconds: a careless header must not stop the reads of a site for hours. */
const LONGEST_WAIT_S = 300

function retryAfter(headers: AnswerHeaders, now: number): number | null {
  const value = first(headers['retry-after'])?.trim() ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value), LONGEST_WAIT_S)
  const until = httpDate(value)
  if (until === null) return null
  const from = httpDate(first(headers['date'])?.trim() ?? '') ?? now
  return Math.min(Math.max(Math.ceil((until - from) / 1000), 0), LONGEST_WAIT_S)
}

function httpDate(value: string): number | null {
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(value)) return null
  const instant = Date.parse(value)
  return Number.isNaN(instant) ? null : instant
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

function reasonOf(status: number): UnknownReason {
  if (status >= 500) return 'server-error'
  if (status >= 300) return 'redirect'
  return status >= 200 ? 'misshapen' : 'unexpected-status'
}

function sentence(detail: FaultDetail): string {
  switch (detail.kind) {
    case 'not-sent':
      return `The payments API was not asked (${detail.reason}).`
    case 'refused':
      return `The payments API refused the request (HTTP ${detail.httpStatus}).`
    case 'forbidden':
      return `The payments API does not allow the request (HTTP ${detail.httpStatus}).`
    case 'credentials':
      return `The payments API did not accept the credentials of site ${detail.site ?? 'unknown'} (HTTP ${detail.httpStatus}).`
    case 'throttled':
      return `The payments API requested a lower rate (HTTP ${detail.httpStatus}).`
    default:
      return `The outcome of the request is unknown (${[detail.reason, detail.httpStatus].filter((part) => part !== null).join(', ')}).`
  }
}

export type UpstreamResponse = {
  /** 200 to 299. */
  readonly status: number
  readonly json: ExactJson
  /** The payments API's clock when it answered, from the `Date` header in whole seconds; null without a readable one. */
  readonly answeredAt: Date | null
}

/**
 * Reads a response with a 2xx status: its JSON, in strict UTF-8 and with exact numbers. Throws an `UpstreamFault` for any other
 * status, and for an unreadable success, whose outcome is then unknown.
 */
export function readAnswer({ status, headers, body }: RawAnswer, site: string): UpstreamResponse {
  if (status < 200 || status > 299) throw fromResponse(status, headers, textOrNull(body), { site })
  if (typeof body === 'string') throw unknownOutcome(body, status)
  if (body.byteLength === 0) throw unknownOutcome('empty', status)
  const text = textOrNull(body)
  if (text === null) throw unknownOutcome('not-utf8', status)
  try {
    return { status, json: parseExactJson(text), answeredAt: dateFrom(headers['date']) }
  } catch {
    throw unknownOutcome('not-json', status)
  }
}

/** Reads an HTTP date (RFC 9110, section 5.6.7). */
function dateFrom(header: string | string[] | undefined): Date | null {
  const date = typeof header === 'string' ? new Date(header) : null
  return date === null || Number.isNaN(date.getTime()) ? null : date
}

function textOrNull(body: RawAnswer['body']): string | null {
  if (typeof body === 'string') return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}

export type ErrorBody = {
  readonly code: string | null
  readonly message: string | null
  readonly fields: readonly { readonly path: string; readonly message: string }[]
}

const NOTHING: ErrorBody = { code: null, message: null, fields: [] }

const CODE_LENGTH = 100
const MESSAGE_LENGTH = 500
const PATH_LENGTH = 200
const MOST_FIELDS = 50
const DEEPEST_FIELD = 4

/**
 * Reads an error body: `errors` as a map from any key to a text or a list of texts, `errors.code` and `errors.message`, or
 * `error`, `message` and `code` at the top level. An empty or non-JSON body gives an empty result. Source: gap sheet, section 1.
 */
function readErrorBody(body: string | null): ErrorBody {
  const json = parsed(body)
  if (!isRecord(json)) return NOTHING
  const { code, message, ...map } = inner(json['errors'])
  const single = inner(json['error'])
  return {
    code: label(code) ?? label(single['code']) ?? label(json['code']),
    message: sentenceIn(message) ?? sentenceIn(single['message']) ?? sentenceIn(json['message']),
    fields: fieldsOf(map).slice(0, MOST_FIELDS),
  }
}

function parsed(body: string | null): ExactJson {
  try {
    return body === null || body === '' ? null : parseExactJson(body)
  } catch {
    return null
  }
}

/** A plain text or a list in place of the map is read as the message. */
function inner(json: ExactJson | undefined): Record<string, ExactJson> {
  if (isRecord(json)) return json
  return json === undefined || json === null ? {} : { message: json }
}

function label(json: ExactJson | undefined): string | null {
  return textFrom(json instanceof ExactNumber ? json.text : json, CODE_LENGTH)
}

function sentenceIn(json: ExactJson | undefined): string | null {
  if (!Array.isArray(json)) return textFrom(json, MESSAGE_LENGTH)
  const sentences = json.flatMap((entry) => sentenceIn(isRecord(entry) ? entry['message'] : entry) ?? [])
  return textFrom(sentences.join('; '), MESSAGE_LENGTH)
}

function fieldsOf(map: Record<string, ExactJson>, prefix = '', depth = 1): ErrorBody['fields'] {
  return Object.entries(map)
    .slice(0, MOST_FIELDS)
    .flatMap(([key, value]) => {
      const path = textFrom(`${prefix}${key}`, PATH_LENGTH) ?? ''
      if (isRecord(value)) return depth < DEEPEST_FIELD ? fieldsOf(value, `${path}.`, depth + 1) : []
      return (Array.isArray(value) ? value : [value]).flatMap((entry) => {
        const message = textFrom(entry, MESSAGE_LENGTH)
        return message === null ? [] : { path, message }
      })
    })
}
