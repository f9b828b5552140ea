import type { FastifyInstance } from 'fastify'
import { lookUp } from '../accounts/bank-accounts.ts'
import { readJsonObject, sendBadRequest, sendJson, sendNotFound } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { callersSite } from './api.ts'

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
