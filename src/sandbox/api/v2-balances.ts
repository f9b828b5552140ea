import type { FastifyInstance } from 'fastify'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { sendBadRequest, sendJson } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber } from '../values/wire.ts'
import { callersSite } from './api.ts'

/** `GET /v2/balances/detail` (gap sheet, section 24); a site has balances only in its own currencies. */
export function v2Balances(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v2/balances/detail', async (request, reply) => {
    const site = callersSite(request)
    const currency = new URL(request.url, store.origin).searchParams.get('currency') ?? 'AUD'
    if (!site.currencies.includes(currency)) return sendBadRequest(reply)
    const { available, incoming, outgoing, reserve, withdrawable } = balanceOf(store, site.id, currency)
    return sendJson(reply, 200, {
      available_balance: jsonNumber(available),
      incoming_balance: jsonNumber(incoming),
      outgoing_balance: jsonNumber(outgoing),
      rolling_reserve_balance: jsonNumber(reserve),
      withdrawable_balance: jsonNumber(withdrawable),
    })
  })
}
