import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { Secret } from '../../keys/key-ring.ts'
import { requireMatch, requireServed, sendable, shaped } from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { UpstreamFault, notSent } from '../upstream-fault.ts'
import { decimalFromWire, isRecord, recordReader } from '../wire/values/readers.ts'
import {
  type GatewayPaymentRequest,
  readGatewayPayment,
  type StartedGatewayPayment,
  toGatewayPaymentBody,
} from '../wire/wire-gateway-payment.ts'

export type GatewayPaymentCalls = {
  /**
   * Creates a payment on the v1 gateway page (docs/payments-api.md, section 4.2). Sent at most once, except after a 401, which
   * proves that nothing was done: then it is sent once more with a new access token. Rejects with an `UpstreamFault`.
   */
  createGatewayPayment(site: Site, request: GatewayPaymentRequest): Promise<StartedGatewayPayment>
}

export type GatewayEndpointOptions = {
  readonly tokens?: AccessTokens
  /**
   * Milliseconds for the whole call, including token requests, because callers expect the duration of one POST. Default: 25
   * seconds.
   */
  readonly withinMs?: number
}

const WITHIN_MS = 25_000

/** Minimum time for a second attempt: with less, it could only turn a certain refusal into an unknown outcome. */
const SHORTEST_ATTEMPT_MS = 5_000

const PATH = '/v1/payment_gateways/create_payment'

/** Creates the call for v1 gateway payments. */
export function gatewayPaymentCalls(transport: Transport, options: GatewayEndpointOptions = {}): GatewayPaymentCalls {
  const { tokens = createAccessTokens({ transport }), withinMs = WITHIN_MS } = options
  return {
    createGatewayPayment: async (site, request) => {
      requireServed(site, request.amount.currency)
      const body = sendable(toGatewayPaymentBody(request))
      const startedAt = performance.now()
      const send = (token: Secret) =>
        transport.request(site, {
          method: 'POST',
          path: PATH,
          body,
          headers: { 'access-token': token.reveal() },
          withinMs,
          startedAt,
        })

      const token = await tokens.current(site)
      const { status, json } = await send(token).catch(async (error: unknown) => {
        if (!isUnauthorised(error)) throw error
        const other = await tokens.inPlaceOf(site, token)
        if (startedAt + withinMs - performance.now() < SHORTEST_ATTEMPT_MS) throw error
        return send(other)
      })
      const payment = shaped(readGatewayPayment(json), status)
      requireMatch(payment.reference === null || payment.reference === request.reference, status)
      return { ...payment, reference: request.reference }
    },
  }
}

function isUnauthorised(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'credentials'
}

type AccessTokens = {
  /**
   * Returns the access token of a site (docs/payments-api.md, section 4.2). Rejects with an `UpstreamFault` that is never
   * `unknown`: without a token, no request that needs one was sent.
   */
  current(site: Site): Promise<Secret>
  /**
   * Returns a new token in place of one that the payments API refused; all callers with the same refused token share the new one.
   */
  inPlaceOf(site: Site, refused: Secret): Promise<Secret>
}

export type AccessTokenOptions = {
  readonly transport: Transport
  /** Monotonic milliseconds. */
  readonly clock?: () => number
}

/** Share of its lifetime after which a token is renewed in the background, while callers still use it. */
const RENEWED_AT = 0.8

/**
 * The lifetime in the answer is limited to these bounds: the maximum is the documented lifetime, the minimum prevents a request
 * for a token before every payment.
 */
const LONGEST_LIFE_S = 3_600
const SHORTEST_LIFE_S = 5

/** Shorter than the deadline of the request that waits for the token. */
const TOKEN_WITHIN_MS = 5_000

const TOKEN_PATH = '/v1/payment_gateways/access_token'

/** Keeps one access token per site, in memory only. Concurrent callers share one call to the payments API. */
export function createAccessTokens({ transport, clock = () => performance.now() }: AccessTokenOptions): AccessTokens {
  const held = new Map<string, Held>()
  const running = new Map<string, Promise<Secret>>()

  function renewed(site: Site): Promise<Secret> {
    const known = running.get(site.id)
    if (known !== undefined) return known
    const renewal = renew(site).finally(() => running.delete(site.id))
    running.set(site.id, renewal)
    return renewal
  }

  async function renew(site: Site): Promise<Secret> {
    // The lifetime is counted from before the call, so that a token never expires at the payments API before it expires here.
    const askedAt = clock()
    const { token, lifeMs } = await ask(transport, site)
    held.set(site.id, { token, renewAt: askedAt + lifeMs * RENEWED_AT, endsAt: askedAt + lifeMs })
    return token
  }

  return {
    current: async (site) => {
      const known = held.get(site.id)
      if (known === undefined || clock() >= known.endsAt) return renewed(site)
      // A failed background renewal is ignored: the next caller tries again, and gets the error only once the token has expired.
      if (clock() >= known.renewAt) renewed(site).catch(() => undefined)
      return known.token
    },

    inPlaceOf: async (site, refused) => {
      if (held.get(site.id)?.token === refused) held.delete(site.id)
      const known = held.get(site.id)
      return known === undefined ? renewed(site) : known.token
    },
  }
}

type Held = { readonly token: Secret; readonly renewAt: number; readonly endsAt: number }

async function ask(transport: Transport, site: Site): Promise<{ token: Secret; lifeMs: number }> {
  try {
    const { status, json } = await transport.request(site, {
      method: 'GET',
      path: TOKEN_PATH,
      withinMs: TOKEN_WITHIN_MS,
    })
    return shaped(readAccessToken(json), status)
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'unknown') throw notSent('no-token')
    throw error
  }
}

const readAnswer = recordReader({
  access_token: (json) => (typeof json === 'string' && /^[\x21-\x7e]{1,8192}$/.test(json) ? json : null),
  expires_in: decimalFromWire,
})

/**
 * Reads a token answer, with the lifetime in milliseconds: `expires_in` within the bounds above, or the minimum if it is
 * unreadable (docs/payments-api.md, section 2.8). Returns null if there is no token that is valid as a header value.
 */
export function readAccessToken(json: ExactJson): { token: Secret; lifeMs: number } | null {
  if (!isRecord(json)) return null
  const { access_token: token, expires_in: seconds } = readAnswer(json)
  if (token === null) return null
  const life = Math.min(Math.max(Number(seconds ?? 0), SHORTEST_LIFE_S), LONGEST_LIFE_S)
  return { token: new Secret(token), lifeMs: life * 1000 }
}
