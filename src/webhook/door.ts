import { parseExactJson, type ExactJson } from '../domain/exact-json.ts'
import { bodyHashes } from '../keys/body-hash.ts'
import { checkCallbackAuthorization, type CallbackKind } from '../keys/callback-secret.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Secret } from '../keys/secret.ts'
import type { Logger } from '../log.ts'
import type { DeliveryOutcome, Inbox, RefKind } from '../store/store.ts'
import { within } from '../within.ts'
import { readBody, type BodyFault } from './read-body.ts'
import { looksSigned, SIGNATURE_HEADER, SIGNATURE_HEADER_OF_CGI, verify } from './signature.ts'

/** A request to one of the webhook addresses. */
export type Arrival = {
  readonly method: string
  /** Last segment of an address made for one thing; null for the merchant's default address. */
  readonly ref: string | null
  /** Every value of each header, by lower-case name. */
  readonly headers: RequestHeaders
  readonly body: NodeJS.ReadableStream & { destroyed?: boolean }
  /** Whether its sender's address has failed to prove itself too often. */
  readonly suspect?: boolean
}

type RequestHeaders = NodeJS.ReadOnlyDict<readonly string[]>

/** The answer to the service, and what became of the delivery when there was one. */
export type Verdict = { readonly status: number; readonly outcome: DeliveryOutcome | null }

export type Door = (arrival: Arrival) => Promise<Verdict>

/** What every door needs. */
export type DoorOptions = {
  readonly inbox: Inbox
  readonly keys: KeyRing
  /** Every secret under which the service may sign, so that one can be rotated. */
  readonly secrets: readonly Secret[]
  readonly logger: Logger
  readonly clock: () => Date
  /** How many deliveries may be under way at once. */
  readonly maxInFlight?: number
  /** Milliseconds after which a delivery that is not yet stored is refused. Default 2,500. */
  readonly maxStoreMs?: number
}

/** What tells one door from another. */
export type DoorKind = {
  /** What its addresses stand for. */
  readonly callback: CallbackKind
  readonly refKinds: readonly RefKind[]
  /** Whether a body must be signed, or only must not be signed wrongly. */
  readonly signature: 'required' | 'checked-when-present'
  readonly store: (delivery: AuthenticDelivery) => Promise<{ usable: boolean; outcome: DeliveryOutcome }>
}

/** A body that the service has sent, told by its signature or by the secret of its address. */
export type AuthenticDelivery = {
  /** Null where the body is no JSON object. */
  readonly json: ExactJson | null
  readonly bodyHashes: readonly [string, ...string[]]
  readonly ref: string | null
  readonly receivedAt: Date
}

const MAX_BYTES = 64 * 1024
const MAX_BODY_MS = 10_000
const MAX_IN_FLIGHT = 256
const MAX_STORE_MS = 2_500

const STATUS_OF: Readonly<Record<BodyFault, number>> = { 'too-large': 413, timeout: 408, aborted: 400 }

/**
 * A door for webhooks: raw bytes, verified, parsed, decided, stored, and only then 200. Nothing is parsed before it is
 * authentic, nothing authentic is dropped, and what cannot be stored is refused with 503, so that the service sends it
 * again. Source: interface document, sections 4.1 and 6.1 to 6.3.
 */
export function createDoor(options: DoorOptions, kind: DoorKind): Door {
  const secrets = options.secrets.map((secret) => secret.reveal())
  const { maxInFlight = MAX_IN_FLIGHT, maxStoreMs = MAX_STORE_MS } = options
  // Counted from the moment the body is here: slow senders must not keep the good ones out.
  let inFlight = 0

  const admit = async ({ method, ref, headers, suspect = false }: Arrival): Promise<number | null> => {
    if (inFlight >= maxInFlight) return 503
    if (method !== 'POST') return 405
    // The service's webhooks may come from the address of a flood, such as that of a proxy, and must never be locked out. So
    // suspicion refuses nothing that could be authentic: only what the headers give away is refused before it costs a look
    // into the store or a body. What they do not give away is read and told by its signature, as from anybody else.
    if (suspect && !couldBeAuthentic(ref, headers)) return 429
    if (ref !== null && !(await options.inbox.knowsRef(ref, kind.refKinds))) return 404
    if (!isPlainJson(headers)) return 415
    if (Number(headers['content-length']?.[0] ?? 0) > MAX_BYTES) return 413
    if (ref !== null && !isAddressed(ref, headers)) return 401
    return null
  }

  const isAddressed = (ref: string, headers: RequestHeaders): boolean =>
    checkCallbackAuthorization(options.keys, kind.callback, ref, only(headers['authorization']))

  const couldBeAuthentic = (ref: string | null, headers: RequestHeaders): boolean => {
    if (ref !== null && !isAddressed(ref, headers)) return false
    const signatures = signaturesIn(headers)
    return signatures === undefined ? kind.signature === 'checked-when-present' : looksSigned(only(signatures))
  }

  const isAuthentic = (body: Buffer, headers: RequestHeaders): boolean => {
    const signatures = signaturesIn(headers)
    if (signatures === undefined && kind.signature === 'checked-when-present') return true
    return verify(body, only(signatures), secrets)
  }

  const receive = async (arrival: Arrival): Promise<Verdict> => {
    const refusal = await admit(arrival)
    if (refusal !== null) return { status: refusal, outcome: null }
    const body = await readBody(arrival.body, { bytes: MAX_BYTES, milliseconds: MAX_BODY_MS })
    if (typeof body === 'string') return { status: STATUS_OF[body], outcome: null }
    if (!isAuthentic(body, arrival.headers)) return { status: 401, outcome: null }
    // Asked again: any number may have been let in while their bodies were on the way.
    if (inFlight >= maxInFlight) return { status: 503, outcome: null }
    const delivery = {
      json: readJsonObject(body),
      bodyHashes: bodyHashes(options.keys, body, arrival.ref),
      ref: arrival.ref,
      receivedAt: options.clock(),
    }
    inFlight += 1
    // One that is refused for being slow may be stored after all, and counts until then: the repeat is recognised.
    const storing = kind.store(delivery).finally(() => {
      inFlight -= 1
    })
    const { usable, outcome } = await within(storing, maxStoreMs, tooSlow)
    return { status: usable ? 200 : 400, outcome }
  }

  return async (arrival) => {
    try {
      return await receive(arrival)
    } catch (error) {
      options.logger.error({ err: error }, 'webhook could not be stored')
      return { status: 503, outcome: null }
    }
  }
}

function signaturesIn(headers: RequestHeaders): readonly string[] | undefined {
  return headers[SIGNATURE_HEADER] ?? headers[SIGNATURE_HEADER_OF_CGI]
}

/** The value of a header that came once. One that came twice says two things, and proves neither. */
function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined
}

function isPlainJson(headers: RequestHeaders): boolean {
  const { 'content-encoding': encodings = [], 'content-type': types = [] } = headers
  return (
    encodings.every((encoding) => encoding.toLowerCase() === 'identity') &&
    types.every((type) => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
  )
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readJsonObject(body: Buffer): ExactJson | null {
  try {
    const json = parseExactJson(utf8.decode(body))
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : null
  } catch {
    return null
  }
}

/** What was waited for did not come in time; it may still come. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError'
}

function tooSlow(): never {
  throw new TooSlowError()
}
