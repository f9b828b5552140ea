import type { FastifyInstance } from 'fastify'
import { bookDeposit, readDeposit } from '../accounts/sandbox-deposits.ts'
import { readJsonObject, sendBadRequest, sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { callersSite } from './api.ts'

/** `POST /v1/simulate_deposit` (docs/payments-api.md, section 4.8); the response follows the gap sheet, section 13. */
export function v1Deposits(api: FastifyInstance, store: SandboxStore): void {
  api.post('/v1/simulate_deposit', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const site = callersSite(request)
    const read = readDeposit(body, site)
    if ('problems' in read) return sendProblems(reply, read.problems)
    bookDeposit(store, site, read.deposit)
    return sendJson(reply, 200, { status: 'ok' })
  })
}
