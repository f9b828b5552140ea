import { movementRecord, movementsOf, bookDeposit, readDeposit } from '../accounts/sandbox-balances.ts'
import { readAgreement, readAmendment, readStatusRequest } from '../agreements/check-agreement-request.ts'
import {
  amend,
  changeStatus,
  createAgreement,
  listAgreements,
  agreementObject,
} from '../agreements/sandbox-agreement.ts'
import { parseForm } from '../customers/sandbox-customer.ts'
import {
  createGatewayPayment,
  gatewayUrl,
  readGatewayRequest,
  TOKEN_LIFETIME_S,
  isLive,
  issueToken,
} from '../gateway/gateway-actions.ts'
import { badRequest, json, notFound, readJsonObject, unprocessable } from '../http/answers.ts'
import type { Call } from '../http/server.ts'
import { readV1Payout, V1_CURRENCY, bodyOfFile } from '../payouts/check-payout-request.ts'
import { createPayout, findV1Payout, listPayouts } from '../payouts/payout-steps.ts'
import { payoutRecord } from '../payouts/sandbox-payout.ts'
import type { Agreement } from '../state/agreement.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { problemText, type JsonObject, type Problems } from '../values/request-fields.ts'
import { type ApiRoutes, header } from './api.ts'
import { rangePage, readRangeQuery, PAYOUT_LIST } from './queries.ts'

const PATH = '/v1/pay_to/payment_agreement'

/** Payment agreements, for sites with AUD only (docs/payments-api.md, section 4.1; gap sheet, sections 14 to 16). */
export function v1Agreements(api: ApiRoutes, store: SandboxStore): void {
  const answer = (path: string, work: (body: JsonObject, site: SandboxSite) => Outcome): void =>
    api.postJson(path, (body, site) => {
      if (!site.currencies.includes('AUD')) return unprocessable(NO_AUD)
      const outcome = work(body, site)
      if (outcome === undefined) return notFound('There is no such payment agreement.')
      if ('show' in outcome) return json(200, outcome.show)
      return unprocessable('problem' in outcome ? outcome.problem : problemText(outcome.problems))
    })
  answer(PATH, (body, site) => {
    const read = readAgreement(body)
    if ('problems' in read) return read
    const agreement = createAgreement(store, site, read.request)
    return agreement === undefined ? { problem: TAKEN } : { show: agreementObject(agreement) }
  })
  answer(`${PATH}/amendment`, (body, site) => {
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
  })
  answer(`${PATH}/change_status`, (body, site) => {
    const read = readStatusRequest(body)
    if ('problems' in read) return read
    const agreement = agreementOf(store, site, read.id)
    if (agreement === undefined) return undefined
    const problem = changeStatus(store, agreement, read.status)
    return problem === undefined ? { show: agreementObject(agreement) } : { problem }
  })
  api.get(`${PATH}/search`, (call, site) => {
    if (!site.currencies.includes('AUD')) return unprocessable(NO_AUD)
    const query = readRangeQuery(call.query, SEARCH)
    if ('problems' in query) return unprocessable(problemText(query.problems))
    return json(200, rangePage(listAgreements(store, site, query), query, agreementObject))
  })
}

const TAKEN = 'client_transaction_id has already been taken'
const NO_AUD = 'payment agreements are for sites with AUD alone'
const SEARCH = { pageIsRequired: false, takesSize: true }
/** The documents do not say what this object contains (gap sheet, section 30). */
const AMENDED = { status: 'accepted' }

/** The response to send: the agreement, the problems, or undefined when there is no such agreement. */
type Outcome = { show: object } | { problem: string } | { problems: Problems } | undefined

function agreementOf(store: SandboxStore, site: SandboxSite, id: number): Agreement | undefined {
  const agreement = store.agreements.get(id)
  return agreement?.siteId === site.id ? agreement : undefined
}

/** Bytes of a form with a file of payees. */
const LARGEST_FORM = 4 * 1024 * 1024

/** v1 payouts in AUD: create, from JSON or a file, detail and list (gap sheet, section 20). */
export function v1Payouts(api: ApiRoutes, store: SandboxStore): void {
  api.post(
    '/v1/payouts',
    async (call, site) => {
      const body = (await bodyOfForm(call)) ?? readJsonObject(call)
      if (body === undefined) return badRequest()
      const read = readV1Payout(body, site, store.clock.now())
      if ('problems' in read) return unprocessable(read.problems)
      return json(200, payoutRecord(createPayout(store, site, read.request, { isRetry: read.isRetry })))
    },
    LARGEST_FORM,
  )

  api.get('/v1/payouts/detail', (call, site) => {
    const [id, uuid] = [call.query.get('id') ?? '', call.query.get('uuid')]
    if (!/^\d{1,18}$/.test(id)) return unprocessable({ id: id === '' ? "can't be blank" : 'must be an integer' })
    const payout = findV1Payout(store, site, Number(id))
    if (payout === undefined || (uuid !== null && uuid !== payout.uuid)) return unprocessable({ id: 'does not exist' })
    return json(200, payoutRecord(payout))
  })

  api.get('/v1/payouts/', (call, site) => {
    if (!site.currencies.includes(V1_CURRENCY)) return unprocessable('currency is not available for this site')
    const query = readRangeQuery(call.query, PAYOUT_LIST)
    if ('problems' in query) return unprocessable(query.problems)
    const found = listPayouts(store, site, { ...query, isV1: true })
    return json(200, rangePage(found, query, payoutRecord))
  })
}

/** Returns the body of a multipart form with a file; undefined for anything else. */
async function bodyOfForm(call: Call): Promise<JsonObject | undefined> {
  if (!/^multipart\/form-data/i.test(call.request.headers['content-type'] ?? '')) return undefined
  const form = await parseForm(call.request.headers, call.body, { wholeFiles: true })
  const file = form?.files.get('file')
  return form === undefined || file === undefined ? undefined : bodyOfFile(form.fields, file.start)
}

const CURRENCY = 'AUD'
const ALWAYS = { from_date: '1970-01-01T00:00:00Z', to_date: '9999-12-31T23:59:59Z' }

/** `GET /v1/balances/history`, for AUD alone (gap sheet, section 24). */
export function v1Balances(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v1/balances/history', (call, site) => {
    if (!site.currencies.includes(CURRENCY)) return unprocessable('balances are for sites with AUD alone')
    const params = new URLSearchParams({ ...ALWAYS, ...Object.fromEntries(call.query) })
    const query = readRangeQuery(params, { pageIsRequired: false, takesSize: true })
    if ('problems' in query) return unprocessable(problemText(query.problems))
    const found = movementsOf(store, site.id, { currency: CURRENCY, from: query.from, to: query.to })
    const shown = rangePage(found, query, (movement) => movementRecord(movement, CURRENCY))
    return json(200, shown)
  })
}

/** `POST /v1/simulate_deposit` (docs/payments-api.md, section 4.8); the response follows the gap sheet, section 13. */
export function v1Deposits(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v1/simulate_deposit', (body, site) => {
    const read = readDeposit(body, site)
    if ('problems' in read) return unprocessable(read.problems)
    bookDeposit(store, site, read.deposit)
    return json(200, { status: 'ok' })
  })
}

/** The v1 hosted gateway: access tokens and payments (docs/payments-api.md, section 4.2; gap sheet, section 4). */
export function v1Gateway(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v1/payment_gateways/access_token', (_call, site) =>
    json(200, { access_token: issueToken(store, site), expires_in: TOKEN_LIFETIME_S }),
  )
  api.post('/v1/payment_gateways/create_payment', (call, site) => {
    if (!isLive(store, site, header(call, 'access-token'))) return { status: 401 }
    const body = readJsonObject(call)
    if (body === undefined) return badRequest()
    const read = readGatewayRequest(body, site)
    if ('problems' in read) return unprocessable(read.problems)
    const payment = createGatewayPayment(store, site, read)
    if (payment === undefined) return unprocessable({ order_id: 'has already been taken' })
    return json(200, {
      redirect_url: gatewayUrl(store, payment),
      payment_id: payment.gateway?.paymentId,
      order_id: read.orderId,
    })
  })
}
