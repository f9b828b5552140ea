import type { FastifyInstance } from 'fastify'
import { methodsOf, type Method } from '../methods/methods.ts'
import {
  createLink,
  findLink,
  listLinks,
  findByAnyUuid,
  requestRefund,
  type RefundRequest,
} from '../payments/link-actions.ts'
import { readLinkRequest, paymentUrl, paymentObject, paidInFull } from '../payments/payment-object.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber, money } from '../values/decimal.ts'
import { Fields, type JsonObject, type Problems, optionalNumber } from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { readJsonObject, sendBadQuery, sendBadRequest, sendJson, sendNotFound, sendProblems } from './json-answers.ts'
import { readListQuery } from './queries.ts'

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

/** `GET /v3/payin_methods` (docs/payments-api.md, sections 2.5 and 4.3). */
export function v3Methods(api: FastifyInstance, _world: SandboxStore): void {
  api.get('/v3/payin_methods', async (request, reply) =>
    sendJson(reply, 200, { records: methodsOf(callersSite(request).currencies).map(methodEntry) }),
  )
}

/** The documents do not name the last three keys (gap sheet, section 30); these are the sandbox's own. */
function methodEntry(method: Method): Record<string, unknown> {
  return {
    currency: method.currency,
    payin_method_code: method.code,
    payin_method_name: method.name,
    min_amount: jsonNumber(method.min),
    max_amount: jsonNumber(method.max),
    supported_card_brands: method.kind === 'card' ? ['visa', 'mastercard'] : [],
    checkout_languages: method.languages,
    ...(method.networks === undefined ? {} : { mobile_networks: method.networks }),
  }
}

const SHORTEST_DESCRIPTION = 5

/**
 * `POST /v3/payin_links/refund`. Its request and response are not documented, so this endpoint uses those of the v2 sibling
 * (gap sheet, sections 5.5 and 12); the uuid may be the link's or the payment's.
 */
export function v3Refund(api: FastifyInstance, store: SandboxStore): void {
  api.post('/v3/payin_links/refund', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const read = readRefund(body)
    if ('problems' in read) return sendProblems(reply, read.problems)
    const link = findLink(store, callersSite(request), findByAnyUuid(store, read.uuid)?.uuid ?? '')
    if (link === undefined) return sendProblems(reply, { payment_request_id: 'does not exist' })
    const outcome = requestRefund(store, link, read.refund)
    if ('problems' in outcome) return sendProblems(reply, outcome.problems)
    return sendJson(reply, 200, {
      total_amount: money(paidInFull(link)),
      refund_amount: money(outcome.accepted),
      description: read.refund.description,
      payin_request: paymentObject(store, link),
    })
  })
}

function readRefund(body: JsonObject): { uuid: string; refund: RefundRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const uuid = fields.text('uuid')
  const description = fields.text('description')
  if (description !== '' && description.length < SHORTEST_DESCRIPTION)
    fields.fail('description', `is too short (minimum is ${SHORTEST_DESCRIPTION} characters)`)
  const amount = optionalNumber(fields, 'amount')
  return fields.isClean ? { uuid, refund: { amount, description } } : { problems: fields.problems }
}
