import type { IncomingHttpHeaders } from 'node:http'
import { parseExactJson, type ExactJson } from '../domain/exact-json.ts'
import { bodyHashes } from '../keys/body-hash.ts'
import { checkCallbackAuthorization } from '../keys/callback-secret.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Secret } from '../keys/secret.ts'
import type { Logger } from '../log.ts'
import type { DeliveryOutcome, Inbox } from '../store/store.ts'
import { readPaymentReport } from '../upstream/wire/payment.ts'
import { withoutSecrets } from '../upstream/wire/redact.ts'
import { readBody, type BodyFault } from './read-body.ts'
import { SIGNATURE_HEADER, SIGNATURE_HEADER_OF_CGI, verify } from './signature.ts'

/** A request to one of the webhook addresses. */
export type Arrival = {
  readonly method: string
  /** Last segment of a link's own address; null for the merchant's default address. */
  readonly ref: string | null
  readonly headers: IncomingHttpHeaders
  readonly body: NodeJS.ReadableStream
}

/** The answer to the service, and what became of the delivery when there was one. */
export type Verdict = { readonly status: number; readonly outcome: DeliveryOutcome | null }

export type PaymentDoor = (arrival: Arrival) => Promise<Verdict>

export type PaymentDoorOptions = {
  readonly inbox: Inbox
  readonly keys: KeyRing
  /** Every secret under which the service may sign, so that one can be rotated. */
  readonly secrets: readonly Secret[]
  readonly logger: Logger
  readonly clock: () => Date
  /** Called when a delivery left a payment in doubt. */
  readonly onReadDue: () => void
  /** How many deliveries may be under way at once. */
  readonly maxInFlight?: number
}

const MAX_BYTES = 64 * 1024
const MAX_BODY_MS = 10_000
const MAX_IN_FLIGHT = 256

const STATUS_OF: Readonly<Record<BodyFault, number>> = { 'too-large': 413, timeout: 408, aborted: 400 }

/**
 * The door for payment webhooks: raw bytes, verified, parsed, decided, stored, and only then 200. Nothing is parsed before
 * it is authentic, nothing authentic is dropped, and what cannot be stored is refused with 503, so that the service sends
 * it again. Source: interface document, sections 6.1 to 6.3.
 */
export function createPaymentDoor(options: PaymentDoorOptions): PaymentDoor {
  const secrets = options.secrets.map((secret) => secret.reveal())
  const maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT
  // Counted from the moment the body is here: slow senders must not keep the good ones out.
  let inFlight = 0

  const admit = async ({ method, ref, headers }: Arrival): Promise<number | null> => {
    if (inFlight >= maxInFlight) return 503
    if (method !== 'POST') return 405
    if (ref !== null && !(await options.inbox.knowsRef(ref))) return 404
    if (!isPlainJson(headers)) return 415
    if (Number(headers['content-length'] ?? 0) > MAX_BYTES) return 413
    if (ref !== null && !checkCallbackAuthorization(options.keys, 'payment', ref, headers.authorization)) return 401
    return null
  }

  const store = async (body: Buffer, ref: string | null): Promise<Verdict> => {
    const json = readJsonObject(body)
    const report = json === null ? null : readPaymentReport(json)
    const outcome = await options.inbox.receive({
      bodyHashes: bodyHashes(options.keys, body),
      ref,
      body: json === null ? null : JSON.stringify(withoutSecrets(json)),
      report,
      receivedAt: options.clock(),
    })
    options.logger.info(
      {
        disposition: outcome.disposition,
        kind: outcome.repeat ? 'repeat' : 'new',
        paymentId: report?.paymentId,
        status: report?.status,
      },
      'webhook stored',
    )
    if (outcome.readDue) options.onReadDue()
    return { status: report === null ? 400 : 200, outcome }
  }

  const receive = async (arrival: Arrival): Promise<Verdict> => {
    const refusal = await admit(arrival)
    if (refusal !== null) return { status: refusal, outcome: null }
    const body = await readBody(arrival.body, { bytes: MAX_BYTES, milliseconds: MAX_BODY_MS })
    if (typeof body === 'string') return { status: STATUS_OF[body], outcome: null }
    if (!verify(body, signatureOf(arrival.headers), secrets)) return { status: 401, outcome: null }
    // Asked again: any number may have been let in while their bodies were on the way.
    if (inFlight >= maxInFlight) return { status: 503, outcome: null }
    inFlight += 1
    try {
      return await store(body, arrival.ref)
    } finally {
      inFlight -= 1
    }
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

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding']
  const type = headers['content-type']
  return (
    (encoding === undefined || encoding.toLowerCase() === 'identity') &&
    (type === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
  )
}

function signatureOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers[SIGNATURE_HEADER] ?? headers[SIGNATURE_HEADER_OF_CGI]
  return Array.isArray(value) ? undefined : value
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
