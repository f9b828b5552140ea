import { createSecretKey } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { parseExactJson, type ExactJson } from 'payments-subgraph-lib/exact-json'
import { callbackKeyOf, type CallbackKind, namesUnknownKey } from '../keys/derived-secrets.ts'
import { bodyHashes, type KeyRing, type Secret } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import { type BodyFault, type BodyLimits, type BodyStream, readBody } from '../lib/read-body.ts'
import { withTimeout } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { DeliveryOutcome, RefKind } from '../store/port.ts'
import { StoreBusyError, StoreFailure } from '../store/store-errors.ts'
import { looksSigned, SIGNATURE_HEADER, SIGNATURE_HEADER_OF_CGI, verify } from './signature.ts'

/** A request to one of the webhook addresses. */
type WebhookRequest = {
  readonly method: string
  /** Last segment of an address that was made for one command; null for the merchant's default address. */
  readonly correlationId: string | null
  /** Every value of each header, by lower-case name. */
  readonly headers: RequestHeaders
  readonly body: BodyStream
  /** Whether the peer has sent too many requests that failed authentication. */
  readonly suspect?: boolean
  /**
   * Called with the bytes of a webhook that is authentic, or sent to an unknown address without a wrong signature: another subgraph may know it.
   * Null if nobody listens.
   */
  readonly forward?: ((body: Buffer, isOurs: boolean) => void) | null
}

type RequestHeaders = NodeJS.ReadOnlyDict<readonly string[]>

/** Why a webhook was refused; a failure of the database as `store_` and its reason. */
export type WebhookRefusal =
  | 'draining'
  | 'busy'
  | 'method'
  | 'too_many_failures'
  | 'unknown_address'
  | 'authorization'
  | 'too_large'
  | 'body_timeout'
  | 'body_aborted'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'unusable'
  | 'fault'
  | `store_${string}`

/** The HTTP status of the response, and the outcome of the delivery if there was one. */
export type WebhookResponse = {
  readonly status: number
  readonly outcome: DeliveryOutcome | null
  /** Null if it was accepted. */
  readonly reason: WebhookRefusal | null
  /** Whether the payments API has sent it. */
  readonly isAuthentic: boolean
  /** Whether it was refused before its whole body was read. */
  readonly isUnread: boolean
}

export type WebhookHandler = (request: WebhookRequest) => Promise<WebhookResponse>

/** Dependencies of every webhook handler. */
export type WebhookHandlerOptions = {
  readonly inbox: Store['inbox']
  readonly keys: KeyRing
  /** Every secret with which the payments API may sign; several during a rotation. */
  readonly secrets: readonly Secret[]
  readonly logger: Logger
  readonly clock: () => Date
  readonly observeKeys: CallbackKeyObserver
  /** Default: nothing is recorded. */
  readonly tracing?: Pick<Tracing, 'ask' | 'link' | 'remember'> | null
  /** Maximum number of concurrent deliveries. */
  readonly maxInFlight?: number
  /** Milliseconds after which a delivery that is not yet stored is refused. Default 2,500. */
  readonly maxStoreMs?: number
}

/** Is told under which keys callbacks arrive at the URLs that were made for them. */
export type CallbackKeyObserver = {
  readonly verified: (keyId: string) => void
  /** The key is not listed (any more). Only for the URL of a command, which others do not know. */
  readonly unknown: () => void
}

/** Per-endpoint configuration. */
type WebhookEndpoint = {
  /** The kinds of objects that its URLs are made for. */
  readonly callback: CallbackKind
  readonly refKinds: readonly RefKind[]
  /** Whether a signature is required; an invalid one is always refused. */
  readonly signature: 'required' | 'checked-when-present'
  readonly store: (delivery: AuthenticDelivery) => Promise<{ usable: boolean; outcome: DeliveryOutcome }>
}

/** A body whose signature, or the Authorization header of its URL, is valid. */
type AuthenticDelivery = {
  /** Null if the body is not a JSON object. Then the delivery is kept as QUARANTINED, and what its URL was made for is read. */
  readonly json: ExactJson | null
  readonly bodyHashes: readonly [string, ...string[]]
  readonly correlationId: string | null
  readonly receivedAt: Date
  /** Whether it carries a signature. */
  readonly signed: boolean
  /** Id of the key that the Authorization of its address was made with; null at the merchant's default address. */
  readonly keyId: string | null
}

const MAX_BYTES = 64 * 1024
const BODY_LIMITS: BodyLimits = { bytes: MAX_BYTES, milliseconds: 10_000 }
const MAX_IN_FLIGHT = 256
const MAX_STORE_MS = 2_500

/** What `doctor` sends, signed, to see whether webhooks arrive. Nothing is stored of it. */
const PROBE = /^\{"probe":"[0-9a-f-]{36}"\}$/

const REFUSAL_OF: Readonly<Record<BodyFault, readonly [status: number, reason: WebhookRefusal]>> = {
  'too-large': [413, 'too_large'],
  timeout: [408, 'body_timeout'],
  aborted: [400, 'body_aborted'],
}

/** How far the handling of a webhook has come. */
type Progress = { isUnread: boolean; isAuthentic: boolean }

/** Returns the response to a webhook that is refused before its whole body is read. */
function refused(status: number, reason: WebhookRefusal): WebhookResponse {
  return { status, reason, outcome: null, isAuthentic: false, isUnread: true }
}

function storeFault(error: unknown): WebhookRefusal {
  if (error instanceof TooSlowError) return 'store_slow'
  if (error instanceof StoreBusyError) return 'store_busy'
  return error instanceof StoreFailure ? `store_${error.reason.toLowerCase()}` : 'fault'
}

/**
 * Creates the handler of an endpoint: it verifies the raw bytes, parses them, stores the delivery, and only then answers 200.
 * Nothing is parsed before it is authentic, nothing authentic is dropped, whatever type or coding its headers name, and what cannot be stored
 * is answered with 503, so that the payments API sends it again. The handler never rejects. Source: payments-api.md, sections 4.1 and 6.1 to 6.3.
 */
export function createWebhookHandler(options: WebhookHandlerOptions, kind: WebhookEndpoint): WebhookHandler {
  const secrets = options.secrets.map((secret) => createSecretKey(Buffer.from(secret.reveal(), 'utf8')))
  const { maxInFlight = MAX_IN_FLIGHT, maxStoreMs = MAX_STORE_MS } = options
  const isKnown = rememberKnown((ref) => options.inbox.knowsRef(ref, kind.refKinds))
  // Counted once the body is complete, so that slow senders do not use up the limit.
  let inFlight = 0

  const admit = async ({
    method,
    correlationId: ref,
    headers,
    suspect = false,
  }: WebhookRequest): Promise<WebhookResponse | null> => {
    if (inFlight >= maxInFlight) return refused(503, 'busy')
    if (method !== 'POST') return refused(405, 'method')
    // The payments API may share its address with the sender of a flood, such as behind a proxy, and is never locked out. So
    // requests that could be authentic are never rate-limited: a suspect peer gets 429 only where the headers already show that
    // the request is not authentic, before a query of the store and before the body is read.
    if (suspect && !couldBeAuthentic(ref, headers)) return refused(429, 'too_many_failures')
    if (ref !== null && !(await isKnown(ref))) return refused(404, 'unknown_address')
    if ((contentLength(headers) ?? 0) > MAX_BYTES) return refused(413, 'too_large')
    if (ref !== null && !isAddressed(ref, headers, options.observeKeys)) return refused(401, 'authorization')
    return null
  }

  const keyOf = (ref: string, headers: RequestHeaders): string | null =>
    callbackKeyOf(options.keys, kind.callback, ref, only(headers['authorization']))

  const isAddressed = (ref: string, headers: RequestHeaders, observe: CallbackKeyObserver | null): boolean => {
    const header = only(headers['authorization'])
    const keyId = keyOf(ref, headers)
    if (keyId !== null) observe?.verified(keyId)
    else if (observe !== null && namesUnknownKey(options.keys, header)) observe.unknown()
    return keyId !== null
  }

  const couldBeAuthentic = (ref: string | null, headers: RequestHeaders): boolean => {
    if (ref !== null && !isAddressed(ref, headers, null)) return false
    const signatures = signaturesIn(headers)
    return signatures === undefined ? kind.signature === 'checked-when-present' : looksSigned(only(signatures))
  }

  /** Returns what is wrong with the signature; null if it is valid, or none is required. */
  const signatureFault = (body: Buffer, headers: RequestHeaders): WebhookRefusal | null => {
    const signatures = signaturesIn(headers)
    if (signatures === undefined) return kind.signature === 'checked-when-present' ? null : 'signature_missing'
    if (!looksSigned(only(signatures))) return 'signature_malformed'
    return verify(body, only(signatures), secrets) ? null : 'signature_mismatch'
  }

  const receive = async (request: WebhookRequest, progress: Progress): Promise<WebhookResponse> => {
    const { forward = null, correlationId } = request
    const refusal = await admit(request)
    const isOurs = refusal?.reason !== 'unknown_address'
    if (refusal !== null && (isOurs || forward === null)) return refusal
    const body = await readBody(request.body, BODY_LIMITS, contentLength(request.headers))
    if (typeof body === 'string') return refused(...REFUSAL_OF[body])
    progress.isUnread = false
    const fault = signatureFault(body, request.headers)
    if (refusal !== null) {
      if (fault === null) forward?.(body, isOurs)
      return { ...refusal, isUnread: false, isAuthentic: fault === null && signaturesIn(request.headers) !== undefined }
    }
    if (fault !== null) return { ...refused(401, fault), isUnread: false }
    progress.isAuthentic = true
    if (correlationId === null && PROBE.test(body.toString('latin1')))
      return { status: 200, reason: null, outcome: null, ...progress }
    forward?.(body, isOurs)
    if (correlationId !== null && options.tracing != null)
      options.tracing.link(await options.inbox.traceparentOf(correlationId))
    // Checked again: any number of requests may have passed the first check before their bodies were complete.
    if (inFlight >= maxInFlight) return { ...refused(503, 'busy'), ...progress }
    const delivery = {
      json: readJsonObject(body),
      bodyHashes: bodyHashes(options.keys, body, correlationId),
      correlationId,
      receivedAt: options.clock(),
      signed: signaturesIn(request.headers) !== undefined,
      keyId: correlationId === null ? null : keyOf(correlationId, request.headers),
    }
    inFlight += 1
    // A delivery that is answered with 503 after the timeout may still be stored, and counts as in flight until then.
    const store = () => kind.store(delivery)
    const storing = (options.tracing?.ask('commit', {}, store) ?? store()).finally(() => {
      inFlight -= 1
    })
    const { usable, outcome } = await withTimeout(storing, maxStoreMs, tooSlow)
    return { status: usable ? 200 : 400, outcome, reason: usable ? null : 'unusable', ...progress }
  }

  return async (request) => {
    const progress: Progress = { isUnread: true, isAuthentic: false }
    try {
      return await receive(request, progress)
    } catch (error) {
      if (!(error instanceof TooSlowError || error instanceof StoreBusyError))
        options.logger.error({ err: error }, 'webhook could not be stored')
      return { ...refused(503, storeFault(error)), ...progress }
    }
  }
}

function signaturesIn(headers: RequestHeaders): readonly string[] | undefined {
  return headers[SIGNATURE_HEADER] ?? headers[SIGNATURE_HEADER_OF_CGI]
}

/** The value of a header that was sent exactly once. */
function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined
}

function contentLength({ 'content-length': lengths }: RequestHeaders): number | null {
  return lengths?.[0] === undefined ? null : Number(lengths[0])
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Written twice by a sender that adds one to what has one. */
const BYTE_ORDER_MARKS = /^\uFEFF{1,2}/

function readJsonObject(body: Buffer): ExactJson | null {
  try {
    const json = parseExactJson(utf8.decode(body).replace(BYTE_ORDER_MARKS, ''))
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : null
  } catch {
    return null
  }
}

/** The store did not answer in time; the delivery may still be stored. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError'
}

function tooSlow(): never {
  throw new TooSlowError()
}

/** Each takes about 100 bytes. */
const MAX_KNOWN = 10_000

/**
 * Caches which correlation ids are known. A known id stays known and keeps its kind. An unknown one may be assigned to a command a
 * moment later, so it is looked up each time. A failed lookup is not cached.
 */
export function rememberKnown(
  lookUp: (correlationId: string) => Promise<boolean>,
  max: number = MAX_KNOWN,
): (correlationId: string) => boolean | Promise<boolean> {
  const known = new LRUCache<string, true>({ max })
  const lookUpAndRemember = async (correlationId: string) => {
    const isKnown = await lookUp(correlationId)
    if (isKnown) known.set(correlationId, true)
    return isKnown
  }
  return (correlationId) => known.get(correlationId) ?? lookUpAndRemember(correlationId)
}
