import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lookUp } from '../accounts/bank-accounts.ts'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { payinMethodsOf, symbolOf, type Method } from '../methods/methods.ts'
import { readPayin, payinParamRules } from '../payins/check-payin-request.ts'
import {
  cancelPayin,
  createPayin,
  findPayin,
  listPayins,
  refundPayin,
  simulate,
  type Simulation,
  payinRecord,
  refundedRecord,
} from '../payins/payin-actions.ts'
import type { RefundRequest } from '../payments/link-actions.ts'
import { paidInFull } from '../payments/payment-object.ts'
import { readPayout } from '../payouts/check-payout-request.ts'
import { cancelScheduled, createPayout, findPayout, listPayouts } from '../payouts/payout-steps.ts'
import { payoutRecord, payoutMethodsOf, type PayoutMethod } from '../payouts/sandbox-payout.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { money, jsonNumber } from '../values/decimal.ts'
import {
  Fields,
  type JsonObject,
  type Problems,
  optionalNumber,
  optionalPositiveNumber,
} from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import { rawBody, readJsonObject, sendBadRequest, sendJson, sendProblems, sendNotFound } from './json-answers.ts'
import { readListQuery, PAYOUT_LIST, rangePage, readRangeQuery } from './queries.ts'

/** Payins: create, detail, list, simulate, cancel and refund (docs/payments-api.md, section 4.5; gap sheet, sections 9 to 12). */
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

  api.post('/v2/payins/cancel', async (request, reply) => {
    const { uuid } = readJsonObject(request) ?? {}
    const payin = findPayin(store, callersSite(request), typeof uuid === 'string' ? uuid : '')
    if (payin === undefined) return sendProblems(reply, { uuid: 'does not exist' })
    return cancelPayin(store, payin)
      ? sendJson(reply, 200, { status: 'ok' })
      : sendProblems(reply, { status: 'cannot be cancelled' })
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

/** Payin methods and the required fields of each (docs/payments-api.md, section 4.5; gap sheet, sections 7 and 8). */
export function v2PayinMethods(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v2/payins/payin_methods', async (request, reply) => {
    const methods = payinMethodsOf(callersSite(request).currencies)
    return sendJson(reply, 200, {
      records: methods.map(({ currency, code }) => ({ currency, payin_method_name: code })),
    })
  })
  api.get('/v2/payins/payin_method/params', async (request, reply) => {
    const code = new URL(request.url, store.origin).searchParams.get('payin_method_name')
    const method = payinMethodsOf(callersSite(request).currencies).find((candidate) => candidate.code === code)
    return method === undefined
      ? sendBadRequest(reply)
      : sendJson(reply, 200, { record: payinMethodRecord(method, store.origin) })
  })
}

function payinMethodRecord(method: Method, origin: string): object {
  return {
    currency: method.currency,
    symbol: symbolOf(method.currency),
    logo: method.kind === 'card' ? `${origin}/checkout/card.svg` : '',
    payin_method_name: method.code,
    description: method.name,
    payin_method_params: payinParamRules(method).descriptors,
    payment_type: 'pay_in',
    is_refundable: method.kind !== 'mobile_money',
    is_cancellable: method.kind !== 'mobile_money',
    require_contact: false,
    require_kyc: false,
    min_amount: jsonNumber(method.min),
    max_amount: jsonNumber(method.max),
  }
}

/** Payout methods and the required fields of each (docs/payments-api.md, section 4.6; gap sheet, section 17). */
export function v2PayoutMethods(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v2/payouts/payout_methods', async (request, reply) => {
    const methods = payoutMethodsOf(callersSite(request).currencies)
    return sendJson(reply, 200, {
      records: methods.map(({ currency, code }) => ({ currency, payout_method_name: code })),
    })
  })
  api.get('/v2/payouts/payout_method/params', async (request, reply) => {
    const code = new URL(request.url, store.origin).searchParams.get('payout_method_name')
    if (code === null || code === '') return sendProblems(reply, { payout_method_name: "can't be blank" })
    const method = payoutMethodsOf(callersSite(request).currencies).find((candidate) => candidate.code === code)
    return method === undefined
      ? sendProblems(reply, { payout_method_name: 'is not available for this site' })
      : sendJson(reply, 200, { record: payoutMethodRecord(method) })
  })
}

function payoutMethodRecord(method: PayoutMethod): object {
  return {
    currency: method.currency,
    symbol: symbolOf(method.currency),
    logo: '',
    payout_method_name: method.code,
    description: method.description,
    payment_type: 'pay_out',
    payout_method_params: method.descriptors,
    banks: method.banks.map(({ code, name, shortName }) => ({ code, name, short_name: shortName })),
    is_refundable: false,
    is_cancellable: false,
    require_contact: false,
    require_kyc: false,
    min_amount: jsonNumber(method.min),
    max_amount: jsonNumber(method.max),
  }
}

/** `GET /v2/balances/detail` (gap sheet, section 24); a site has balances only in its own currencies. */
export function v2Balances(api: FastifyInstance, store: SandboxStore): void {
  api.get('/v2/balances/detail', async (request, reply) => {
    const site = callersSite(request)
    const currency = new URL(request.url, store.origin).searchParams.get('currency') ?? 'AUD'
    if (!site.currencies.includes(currency)) return sendBadRequest(reply)
    const { available, incoming, outgoing, reserve, withdrawable } = balanceOf(store, site.id, currency)
    return sendJson(reply, 200, {
      available_balance: jsonNumber(available),
      incoming_balance: jsonNumber(incoming),
      outgoing_balance: jsonNumber(outgoing),
      rolling_reserve_balance: jsonNumber(reserve),
      withdrawable_balance: jsonNumber(withdrawable),
    })
  })
}

/**
 * The bank look-ups, for sites with VND only: by payload (docs/payments-api.md, section 4.7), and by a file that contains the payload as text,
 * such as a PNG with a tEXt chunk, since the emulator reads no pictures (gap sheet, section 21).
 */
export function v2Banks(api: FastifyInstance, _world: SandboxStore): void {
  api.post('/v2/banks/lookup/qr_content', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const { qr_content: qrContent } = body
    return sendAccount(request, reply, typeof qrContent === 'string' ? qrContent : '')
  })

  api.post('/v2/banks/lookup/qr_image', async (request, reply) => {
    const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '')
    if (!isForm) return sendBadRequest(reply)
    return sendAccount(request, reply, payloadIn(rawBody(request).toString('latin1')))
  })
}

/** Most characters of an EMV payload before its checksum. */
const LONGEST_PAYLOAD = 500

/** Returns the first EMV payload with a checksum; empty without one. */
function payloadIn(text: string): string {
  const from = text.slice(Math.max(0, text.indexOf('000201'))).slice(0, LONGEST_PAYLOAD)
  const end = from.search(/6304[0-9A-F]{4}/)
  return end === -1 ? '' : from.slice(0, end + 8)
}

function sendAccount(request: FastifyRequest, reply: FastifyReply, qrContent: string): FastifyReply {
  if (!callersSite(request).currencies.includes('VND'))
    return sendNotFound(reply, 'The bank look-up is for sites with VND alone.')
  const found = lookUp(qrContent)
  if ('problem' in found) return sendNotFound(reply, found.problem)
  const { accountName, accountNumber, bankName, swiftCode } = found.account
  return sendJson(reply, 200, {
    account_name: accountName,
    account_number: accountNumber,
    bank_name: bankName,
    swift_code: swiftCode,
  })
}
