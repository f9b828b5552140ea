import type { FastifyInstance } from 'fastify'
import { readPayin } from '../payins/check-payin-request.ts'
import {
  createPayin,
  findPayin,
  listPayins,
  refundPayin,
  simulate,
  type Simulation,
  payinRecord,
  refundedRecord,
} from '../payins/payin-actions.ts'
import { paidInFull } from '../payments/payment-object.ts'
import type { RefundRequest } from '../payments/refunds.ts'
import { readJsonObject, sendBadRequest, sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { money } from '../values/decimal.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  optionalNumber,
  optionalPositiveNumber,
} from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { readListQuery } from './queries.ts'

/** Payins: create, detail, list, simulate and refund (docs/payments-api.md, section 4.5; gap sheet, sections 9 to 12). */
export function v2Payins(api: FastifyInstance, store: SandboxStore): void {
  api.post('/v2/payins', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const site = callersSite(request)
    const read = readPayin(body, site, store.clock.now())
    if ('problems' in read) return sendProblems(reply, read.problems)
    return sendJson(reply, 200, payinRecord(store, createPayin(store, site, read.payin)))
  })

  api.get('/v2/payins/detail', async (request, reply) => {
    const uuid = new URL(request.url, store.origin).searchParams.get('uuid') ?? ''
    const payin = findPayin(store, callersSite(request), uuid)
    return payin === undefined ? sendBadRequest(reply) : sendJson(reply, 200, payinRecord(store, payin))
  })

  api.get('/v2/payins/all', async (request, reply) => {
    const query = readListQuery(new URL(request.url, store.origin).searchParams)
    if ('problem' in query) return sendBadRequest(reply)
    const { page, perPage, filter } = query
    const found = listPayins(store, callersSite(request), filter)
    return sendJson(reply, 200, {
      total: found.length,
      total_page: Math.ceil(found.length / perPage),
      page,
      per_page: perPage,
      records: found.slice((page - 1) * perPage, page * perPage).map((payin) => payinRecord(store, payin)),
    })
  })

  api.post('/v2/payins/simulate', async (request, reply) => {
    const simulation = readSimulation(readJsonObject(request) ?? {})
    const done = simulation !== undefined && simulate(store, callersSite(request), simulation)
    return done ? sendJson(reply, 200, { status: 'ok' }) : sendBadRequest(reply)
  })

  api.post('/v2/payins/refund', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const read = readRefund(body)
    if ('problems' in read) return sendProblems(reply, read.problems)
    const payin = findPayin(store, callersSite(request), read.uuid)
    if (payin === undefined) return sendProblems(reply, { payment_request_id: 'does not exist' })
    const outcome = refundPayin(store, payin, read.refund)
    if ('problems' in outcome) return sendProblems(reply, outcome.problems)
    return sendJson(reply, 200, {
      total_amount: money(paidInFull(payin)),
      refund_amount: money(outcome.accepted),
      description: read.refund.description,
      payin_request: refundedRecord(store, payin),
    })
  })
}

const SHORTEST_DESCRIPTION = 5

function readSimulation(body: JsonObject): Simulation | undefined {
  const fields = new Fields(body)
  const [uuid, status] = [fields.text('uuid'), fields.text('status')]
  const amount = optionalPositiveNumber(fields, 'amount')
  if (!fields.isClean || (status !== 'completed' && status !== 'failed')) return undefined
  return { uuid, status, amount }
}

/** The problems use the field names of the payments API, which differ from those of the request (gap sheet, C23). */
function readRefund(body: JsonObject): { uuid: string; refund: RefundRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const uuid = fields.text('uuid')
  const description = fields.text('description')
  if (description !== '' && description.length < SHORTEST_DESCRIPTION)
    fields.fail('description', `is too short (minimum is ${SHORTEST_DESCRIPTION} characters)`)
  const amount = optionalNumber(fields, 'amount')
  if (fields.isClean) return { uuid, refund: { amount, description } }
  const named = Object.entries(fields.problems).map(([name, problem]) => [REFUND_NAMES[name] ?? name, problem])
  return { problems: Object.fromEntries(named) as Problems }
}

const REFUND_NAMES: Readonly<Record<string, string>> = {
  uuid: 'payment_request_id',
  amount: 'refund_amount',
  description: 'reason',
}
