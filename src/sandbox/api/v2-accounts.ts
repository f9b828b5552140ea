import type { FastifyInstance } from 'fastify'
import { lookUp } from '../accounts/bank-accounts.ts'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { sendBadRequest, sendJson, readJsonObject, sendNotFound } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber } from '../values/decimal.ts'
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

/** `POST /v2/banks/lookup/qr_content`, for sites with VND only (docs/payments-api.md, section 4.7). */
export function v2Banks(api: FastifyInstance, _world: SandboxStore): void {
  api.post('/v2/banks/lookup/qr_content', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    if (!callersSite(request).currencies.includes('VND'))
      return sendNotFound(reply, 'The bank look-up is for sites with VND alone.')
    const { qr_content: qrContent } = body
    const found = lookUp(typeof qrContent === 'string' ? qrContent : '')
    if ('problem' in found) return sendNotFound(reply, found.problem)
    const { accountName, accountNumber, bankName, swiftCode } = found.account
    return sendJson(reply, 200, {
      account_name: accountName,
      account_number: accountNumber,
      bank_name: bankName,
      swift_code: swiftCode,
    })
  })
}
