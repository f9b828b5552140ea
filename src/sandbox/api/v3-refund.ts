import type { FastifyInstance } from 'fastify'
import { findByAnyUuid, findLink } from '../payments/link-actions.ts'
import { paidInFull } from '../payments/payment-facts.ts'
import { paymentObject } from '../payments/payment-object.ts'
import { requestRefund } from '../payments/refunds.ts'
import type { RefundRequest } from '../payments/refunds.ts'
import { readJsonObject, sendBadRequest, sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { Fields } from '../values/request-fields.ts'
import type { JsonObject, Problems } from '../values/request-fields.ts'
import { optionalNumber } from '../values/request-parts.ts'
import { money } from '../values/wire.ts'
import { callersSite } from './api.ts'

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
