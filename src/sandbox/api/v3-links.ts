import type { FastifyInstance } from 'fastify'
import { createLink, findLink, listLinks } from '../payments/link-actions.ts'
import { readLinkRequest } from '../payments/link-request.ts'
import { paymentUrl } from '../payments/payment-facts.ts'
import { paymentObject } from '../payments/payment-object.ts'
import {
  readJsonObject,
  sendBadQuery,
  sendBadRequest,
  sendJson,
  sendNotFound,
  sendProblems,
} from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { callersSite } from './api.ts'
import { readListQuery } from './list-query.ts'

/** Creates, lists and shows payment links (docs/payments-api.md, section 4.4; gap sheet, section 5). */
export function v3Links(api: FastifyInstance, store: SandboxStore): void {
  api.post('/v3/payin_links', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const site = callersSite(request)
    const read = readLinkRequest(body, site, store.clock.now())
    if ('problems' in read) return sendProblems(reply, read.problems)
    const link = createLink(store, site, read.request)
    return sendJson(reply, 200, {
      uuid: link.uuid,
      payment_url: paymentUrl(store, link),
      expired_at: link.expiresAt.toISOString(),
    })
  })

  api.get('/v3/payin_links', async (request, reply) => {
    const query = readListQuery(new URL(request.url, store.origin).searchParams)
    if ('problem' in query) return sendBadQuery(reply, query.problem)
    const found = listLinks(store, callersSite(request), query.filter)
    const first = (query.page - 1) * query.perPage
    return sendJson(reply, 200, {
      records: found.slice(first, first + query.perPage).map((link) => paymentObject(store, link)),
      page: query.page,
      per_page: query.perPage,
      total: found.length,
    })
  })

  api.get<{ Params: { uuid: string } }>('/v3/payin_links/:uuid', async (request, reply) => {
    const link = findLink(store, callersSite(request), request.params.uuid)
    if (link === undefined) return sendNotFound(reply, 'There is no such payment link.')
    return sendJson(reply, 200, paymentObject(store, link))
  })
}
