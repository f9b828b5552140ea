import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseForm } from '../customers/check-identity-form.ts'
import { readV1Payout, V1_CURRENCY } from '../payouts/check-v1-payout-request.ts'
import { createPayout, findV1Payout, listPayouts } from '../payouts/payout-actions.ts'
import { payoutRecord } from '../payouts/sandbox-payout.ts'
import { bodyOfFile } from '../payouts/v1-payout-file.ts'
import { rawBody, readJsonObject, sendBadRequest, sendJson, sendProblem, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { JsonObject } from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { PAYOUT_LIST, rangePage, readRangeQuery } from './queries.ts'

/** Bytes of a form with a file of payees. */
const LARGEST_FORM = 4 * 1024 * 1024

/** v1 payouts in AUD: create, from JSON or a file, detail and list (gap sheet, section 20). */
export function v1Payouts(api: FastifyInstance, store: SandboxStore): void {
  const queryOf = (request: FastifyRequest): URLSearchParams => new URL(request.url, store.origin).searchParams

  api.post('/v1/payouts', { bodyLimit: LARGEST_FORM }, async (request, reply) => {
    const body = (await bodyOfForm(request)) ?? readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const site = callersSite(request)
    const read = readV1Payout(body, site, store.clock.now())
    if ('problems' in read) return sendProblems(reply, read.problems)
    return sendJson(reply, 200, payoutRecord(createPayout(store, site, read.request, { isRetry: read.isRetry })))
  })

  api.get('/v1/payouts/detail', async (request, reply) => {
    const query = queryOf(request)
    const [id, uuid] = [query.get('id') ?? '', query.get('uuid')]
    if (!/^\d{1,18}$/.test(id)) return sendProblems(reply, { id: id === '' ? "can't be blank" : 'must be an integer' })
    const payout = findV1Payout(store, callersSite(request), Number(id))
    if (payout === undefined || (uuid !== null && uuid !== payout.uuid))
      return sendProblems(reply, { id: 'does not exist' })
    return sendJson(reply, 200, payoutRecord(payout))
  })

  api.get('/v1/payouts/', async (request, reply) => sendList(request, reply))

  const sendList = (request: FastifyRequest, reply: FastifyReply) => {
    const site = callersSite(request)
    if (!site.currencies.includes(V1_CURRENCY)) return sendProblem(reply, 'currency is not available for this site')
    const query = readRangeQuery(queryOf(request), PAYOUT_LIST)
    if ('problems' in query) return sendProblems(reply, query.problems)
    const found = listPayouts(store, site, { ...query, isV1: true })
    return sendJson(
      reply,
      200,
      rangePage(found, query, (payout) => payoutRecord(payout)),
    )
  }
}

/** Returns the body of a multipart form with a file; undefined for anything else. */
async function bodyOfForm(request: FastifyRequest): Promise<JsonObject | undefined> {
  if (!/^multipart\/form-data/i.test(request.headers['content-type'] ?? '')) return undefined
  const form = await parseForm(request.headers, rawBody(request), { wholeFiles: true })
  const file = form?.files.get('file')
  return form === undefined || file === undefined ? undefined : bodyOfFile(form.fields, file.start)
}
