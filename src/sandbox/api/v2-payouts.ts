import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readPayout } from '../payouts/check-payout-request.ts'
import { cancelScheduled, createPayout, findPayout, listPayouts } from '../payouts/payout-actions.ts'
import { payoutRecord } from '../payouts/sandbox-payout.ts'
import { readJsonObject, sendBadRequest, sendJson, sendNotFound, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { callersSite } from './api.ts'
import { PAYOUT_LIST, rangePage, readRangeQuery } from './queries.ts'

/** Payouts: create, detail, list and cancel (gap sheet, sections 18 to 20). */
export function v2Payouts(api: FastifyInstance, store: SandboxStore): void {
  const queryOf = (request: FastifyRequest): URLSearchParams => new URL(request.url, store.origin).searchParams

  api.post('/v2/payouts', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const site = callersSite(request)
    const read = readPayout(body, site, store.clock.now())
    if ('problems' in read) return sendProblems(reply, read.problems)
    return sendJson(reply, 200, payoutRecord(createPayout(store, site, read.request)))
  })

  api.get('/v2/payouts/detail', async (request, reply) => {
    const uuid = queryOf(request).get('uuid')
    if (uuid === null || uuid === '') return sendProblems(reply, { uuid: "can't be blank" })
    const payout = findPayout(store, callersSite(request), uuid)
    if (payout === undefined) return sendProblems(reply, { uuid: 'does not exist' })
    return sendJson(reply, 200, payoutRecord(payout))
  })

  api.get('/v2/payouts/all', async (request, reply) => {
    const query = readRangeQuery(queryOf(request), PAYOUT_LIST)
    if ('problems' in query) return sendProblems(reply, query.problems)
    const found = listPayouts(store, callersSite(request), { ...query, isV1: false })
    return sendJson(
      reply,
      200,
      rangePage(found, query, (payout) => payoutRecord(payout)),
    )
  })

  api.post('/v2/payouts/cancel_scheduled', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const { uuid } = body
    if (typeof uuid !== 'string' || uuid === '') return sendProblems(reply, { uuid: "can't be blank" })
    const payout = findPayout(store, callersSite(request), uuid)
    if (payout === undefined) return sendNotFound(reply, 'There is no such payout.')
    return cancelScheduled(store, payout)
      ? sendJson(reply, 200, { status: 'ok' })
      : sendProblems(reply, { status: 'is not scheduled' })
  })
}
