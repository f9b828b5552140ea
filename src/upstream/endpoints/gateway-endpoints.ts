import type { Secret } from '../../keys/key-ring.ts'
import { type AccessTokens, createAccessTokens } from '../client/access-token.ts'
import { requireMatch, requireServed, sendable, shaped } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { UpstreamFault } from '../client/upstream-fault.ts'
import {
  type GatewayPaymentRequest,
  readGatewayPayment,
  type StartedGatewayPayment,
  toGatewayPaymentBody,
} from '../wire/payments/wire-gateway-payment.ts'

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
      const until = performance.now() + withinMs
      const send = (token: Secret) =>
        transport.request(site, {
          method: 'POST',
          path: PATH,
          body,
          headers: { 'access-token': token.reveal() },
          withinMs: until - performance.now(),
        })

      const token = await tokens.current(site)
      const { status, json } = await send(token).catch(async (error: unknown) => {
        if (!isUnauthorised(error)) throw error
        const other = await tokens.inPlaceOf(site, token)
        if (until - performance.now() < SHORTEST_ATTEMPT_MS) throw error
        return send(other)
      })
      const payment = shaped(readGatewayPayment(json), status)
      requireMatch(payment.orderId === null || payment.orderId === request.orderId, status)
      return { ...payment, orderId: request.orderId }
    },
  }
}

function isUnauthorised(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'credentials'
}
