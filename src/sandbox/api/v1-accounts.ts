import type { FastifyInstance } from 'fastify'
import { movementRecord, movementsOf } from '../accounts/balance-movements.ts'
import { bookDeposit, readDeposit } from '../accounts/sandbox-deposits.ts'
import { sendJson, sendProblem, readJsonObject, sendBadRequest, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { problemText } from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { rangePage, readRangeQuery } from './queries.ts'

const CURRENCY = 'AUD'
const ALWAYS = { from_date: '1970-01-01T00:00:00Z', to_date: '9999-12-31T23:59:59Z' }

/** `GET /v1/balances/history`, for AUD alone (gap sheet, section 24). */
export function v1Balances(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v1/balances/history', async (request, reply) => {
    const site = callersSite(request)
    if (!site.currencies.includes(CURRENCY)) return sendProblem(reply, 'balances are for sites with AUD alone')
    const given = new URL(request.url, store.origin).searchParams
    const params = new URLSearchParams({ ...ALWAYS, ...Object.fromEntries(given) })
    const query = readRangeQuery(params, { pageIsRequired: false, takesSize: true })
    if ('problems' in query) return sendProblem(reply, problemText(query.problems))
    const found = movementsOf(store, site.id, { currency: CURRENCY, from: query.from, to: query.to })
    return sendJson(
      reply,
      200,
      rangePage(found, query, (movement) => movementRecord(movement, CURRENCY)),
    )
  })
}

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
