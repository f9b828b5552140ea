import { badQuery, json, notFound, unprocessable } from '../http/answers.ts'
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
import { type ApiRoutes } from './api.ts'
import { readListQuery } from './queries.ts'

/** Creates, lists and shows payment links (docs/payments-api.md, section 4.4; gap sheet, section 5). */
export function v3Links(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v3/payin_links', (body, site) => {
    const read = readLinkRequest(body, site, store.clock.now())
    if ('problems' in read) return unprocessable(read.problems)
    const link = createLink(store, site, read.request)
    return json(200, {
      uuid: link.uuid,
      payment_url: paymentUrl(store, link),
      expired_at: link.expiresAt.toISOString(),
    })
  })

  api.get('/v3/payin_links', (call, site) => {
    const query = readListQuery(call.query)
    if ('problem' in query) return badQuery(query.problem)
    const found = listLinks(store, site, query.filter)
    const first = (query.page - 1) * query.perPage
    return json(200, {
      records: found.slice(first, first + query.perPage).map((link) => paymentObject(store, link)),
      page: query.page,
      per_page: query.perPage,
      total: found.length,
    })
  })

  api.get('/v3/payin_links/:uuid', (call, site) => {
    const link = findLink(store, site, call.params['uuid'] ?? '')
    if (link === undefined) return notFound('There is no such payment link.')
    return json(200, paymentObject(store, link))
  })
}

/** `GET /v3/payin_methods` (docs/payments-api.md, sections 2.5 and 4.3). */
export function v3Methods(api: ApiRoutes): void {
  api.get('/v3/payin_methods', (_call, site) => json(200, { records: methodsOf(site.currencies).map(methodEntry) }))
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
export function v3Refund(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v3/payin_links/refund', (body, site) => {
    const read = readRefund(body)
    if ('problems' in read) return unprocessable(read.problems)
    const link = findLink(store, site, findByAnyUuid(store, read.uuid)?.uuid ?? '')
    if (link === undefined) return unprocessable({ payment_request_id: 'does not exist' })
    const outcome = requestRefund(store, link, read.refund)
    if ('problems' in outcome) return unprocessable(outcome.problems)
    return json(200, {
      total_amount: money(paidInFull(link)),
      refund_amount: money(outcome.accepted),
      description: read.refund.description,
      payin_request: paymentObject(store, link),
    })
  })
}

/** Validates the body of a refund (gap sheet, section 12). */
export function readRefund(body: JsonObject): { uuid: string; refund: RefundRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const uuid = fields.text('uuid')
  const description = fields.text('description')
  if (description !== '' && description.length < SHORTEST_DESCRIPTION)
    fields.fail('description', `is too short (minimum is ${SHORTEST_DESCRIPTION} characters)`)
  const amount = optionalNumber(fields, 'amount')
  return fields.isClean ? { uuid, refund: { amount, description } } : { problems: fields.problems }
}
