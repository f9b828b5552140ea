import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  amend,
  changeStatus,
  createAgreement,
  listAgreements,
  agreementObject,
} from '../agreements/agreement-actions.ts'
import { readAgreement, readAmendment, readStatusRequest } from '../agreements/check-agreement-request.ts'
import type { Agreement } from '../agreements/sandbox-agreement.ts'
import { readJsonObject, sendBadRequest, sendJson, sendNotFound, sendProblem } from '../server/json-answers.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { problemText, type JsonObject, type Problems } from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { rangePage, readRangeQuery } from './queries.ts'

const PATH = '/v1/pay_to/payment_agreement'

/** Payment agreements, for sites with AUD only (docs/payments-api.md, section 4.1; gap sheet, sections 14 to 16). */
export function v1Agreements(api: FastifyInstance, store: SandboxStore): void {
  api.post(PATH, async (request, reply) =>
    answer(request, reply, (body, site) => {
      const read = readAgreement(body)
      if ('problems' in read) return read
      const agreement = createAgreement(store, site, read.request)
      return agreement === undefined ? { problem: TAKEN } : { show: agreementObject(agreement) }
    }),
  )
  api.post(`${PATH}/amendment`, async (request, reply) =>
    answer(request, reply, (body, site) => {
      const read = readAmendment(body)
      if ('problems' in read) return read
      const agreement = agreementOf(store, site, read.id)
      if (agreement === undefined) return undefined
      const problem = amend(agreement, read.terms)
      if (problem !== undefined) return { problem }
      return {
        show: {
          payment_agreement_amendment: agreementObject(agreement),
          payment_agreement_amendment_status: AMENDED,
        },
      }
    }),
  )
  api.post(`${PATH}/change_status`, async (request, reply) =>
    answer(request, reply, (body, site) => {
      const read = readStatusRequest(body)
      if ('problems' in read) return read
      const agreement = agreementOf(store, site, read.id)
      if (agreement === undefined) return undefined
      const problem = changeStatus(store, agreement, read.status)
      return problem === undefined ? { show: agreementObject(agreement) } : { problem }
    }),
  )
  api.get(`${PATH}/search`, async (request, reply) => {
    const site = callersSite(request)
    if (!hasAgreements(site)) return sendProblem(reply, NO_AUD)
    const query = readRangeQuery(new URL(request.url, store.origin).searchParams, SEARCH)
    if ('problems' in query) return sendProblem(reply, problemText(query.problems))
    return sendJson(
      reply,
      200,
      rangePage(listAgreements(store, site, query), query, (found) => agreementObject(found)),
    )
  })
}

const TAKEN = 'client_transaction_id has already been taken'
const NO_AUD = 'payment agreements are for sites with AUD alone'
const SEARCH = { pageIsRequired: false, takesSize: true }
/** The documents do not say what this object contains (gap sheet, section 30). */
const AMENDED = { status: 'accepted' }

/** The response to send: the agreement, the problems, or undefined when there is no such agreement. */
type Outcome = { show: object } | { problem: string } | { problems: Problems } | undefined

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (body: JsonObject, site: SandboxSite) => Outcome,
): FastifyReply {
  const body = readJsonObject(request)
  const site = callersSite(request)
  if (body === undefined) return sendBadRequest(reply)
  if (!hasAgreements(site)) return sendProblem(reply, NO_AUD)
  const outcome = work(body, site)
  if (outcome === undefined) return sendNotFound(reply, 'There is no such payment agreement.')
  if ('show' in outcome) return sendJson(reply, 200, outcome.show)
  return sendProblem(reply, 'problem' in outcome ? outcome.problem : problemText(outcome.problems))
}

function hasAgreements({ currencies }: SandboxSite): boolean {
  return currencies.includes('AUD')
}

function agreementOf(store: SandboxStore, site: SandboxSite, id: number): Agreement | undefined {
  const agreement = store.agreements.get(id)
  return agreement?.siteId === site.id ? agreement : undefined
}
