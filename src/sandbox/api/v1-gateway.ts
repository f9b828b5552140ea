import type { FastifyInstance } from 'fastify'
import { createGatewayPayment, gatewayUrl, readGatewayRequest } from '../gateway/gateway-actions.ts'
import { TOKEN_LIFETIME_S, isLive, issueToken } from '../gateway/tokens.ts'
import { readJsonObject, sendBadRequest, sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { callersSite, header } from './api.ts'

/** The v1 hosted gateway: access tokens and payments (docs/payments-api.md, section 4.2; gap sheet, section 4). */
export function v1Gateway(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v1/payment_gateways/access_token', async (request, reply) =>
    sendJson(reply, 200, { access_token: issueToken(store, callersSite(request)), expires_in: TOKEN_LIFETIME_S }),
  )
  api.post('/v1/payment_gateways/create_payment', async (request, reply) => {
    const site = callersSite(request)
    if (!isLive(store, site, header(request, 'access-token'))) return reply.code(401).send()
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const read = readGatewayRequest(body, site)
    if ('problems' in read) return sendProblems(reply, read.problems)
    const payment = createGatewayPayment(store, site, read)
    if (payment === undefined) return sendProblems(reply, { order_id: 'has already been taken' })
    return sendJson(reply, 200, {
      redirect_url: gatewayUrl(store, payment),
      payment_id: payment.gateway?.paymentId,
      order_id: read.orderId,
    })
  })
}
