import { lookUp } from '../accounts/bank-accounts.ts'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { badRequest, json, notFound, readJsonObject, unprocessable } from '../http/answers.ts'
import type { Answer, Call } from '../http/server.ts'
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
import { type ApiRoutes, callersSite } from './api.ts'
import { readListQuery, PAYOUT_LIST, rangePage, readRangeQuery } from './queries.ts'

/** Payins: create, detail, list, simulate, cancel and refund (docs/payments-api.md, section 4.5; gap sheet, sections 9 to 12). */
export function v2Payins(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v2/payins', (body, call) => {
    const site = callersSite(call)
    const read = readPayin(body, site, store.clock.now())
    if ('problems' in read) return unprocessable(read.problems)
    return json(200, payinRecord(store, createPayin(store, site, read.payin)))
  })

  api.get('/v2/payins/detail', (call) => {
    const uuid = call.query.get('uuid') ?? ''
    const payin = findPayin(store, callersSite(call), uuid)
    return payin === undefined ? badRequest() : json(200, payinRecord(store, payin))
  })

  api.get('/v2/payins/all', (call) => {
    const query = readListQuery(call.query)
    if ('problem' in query) return badRequest()
    const { page, perPage, filter } = query
    const found = listPayins(store, callersSite(call), filter)
    return json(200, {
      total: found.length,
      total_page: Math.ceil(found.length / perPage),
      page,
      per_page: perPage,
      records: found.slice((page - 1) * perPage, page * perPage).map((payin) => payinRecord(store, payin)),
    })
  })

  api.post('/v2/payins/simulate', (call) => {
    const simulation = readSimulation(readJsonObject(call) ?? {})
    const done = simulation !== undefined && simulate(store, callersSite(call), simulation)
    return done ? json(200, { status: 'ok' }) : badRequest()
  })

  api.post('/v2/payins/cancel', (call) => {
    const { uuid } = readJsonObject(call) ?? {}
    const payin = findPayin(store, callersSite(call), typeof uuid === 'string' ? uuid : '')
    if (payin === undefined) return unprocessable({ uuid: 'does not exist' })
    return cancelPayin(store, payin) ? json(200, { status: 'ok' }) : unprocessable({ status: 'cannot be cancelled' })
  })

  api.postJson('/v2/payins/refund', (body, call) => {
    const read = readRefund(body)
    if ('problems' in read) return unprocessable(read.problems)
    const payin = findPayin(store, callersSite(call), read.uuid)
    if (payin === undefined) return unprocessable({ payment_request_id: 'does not exist' })
    const outcome = refundPayin(store, payin, read.refund)
    if ('problems' in outcome) return unprocessable(outcome.problems)
    return json(200, {
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
export function v2Payouts(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v2/payouts', (body, call) => {
    const site = callersSite(call)
    const read = readPayout(body, site, store.clock.now())
    if ('problems' in read) return unprocessable(read.problems)
    return json(200, payoutRecord(createPayout(store, site, read.request)))
  })

  api.get('/v2/payouts/detail', (call) => {
    const uuid = call.query.get('uuid')
    if (uuid === null || uuid === '') return unprocessable({ uuid: "can't be blank" })
    const payout = findPayout(store, callersSite(call), uuid)
    if (payout === undefined) return unprocessable({ uuid: 'does not exist' })
    return json(200, payoutRecord(payout))
  })

  api.get('/v2/payouts/all', (call) => {
    const query = readRangeQuery(call.query, PAYOUT_LIST)
    if ('problems' in query) return unprocessable(query.problems)
    const found = listPayouts(store, callersSite(call), { ...query, isV1: false })
    return json(
      200,
      rangePage(found, query, (payout) => payoutRecord(payout)),
    )
  })

  api.postJson('/v2/payouts/cancel_scheduled', (body, call) => {
    const { uuid } = body
    if (typeof uuid !== 'string' || uuid === '') return unprocessable({ uuid: "can't be blank" })
    const payout = findPayout(store, callersSite(call), uuid)
    if (payout === undefined) return notFound('There is no such payout.')
    return cancelScheduled(store, payout) ? json(200, { status: 'ok' }) : unprocessable({ status: 'is not scheduled' })
  })
}

/** Payin methods and the required fields of each (docs/payments-api.md, section 4.5; gap sheet, sections 7 and 8). */
export function v2PayinMethods(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v2/payins/payin_methods', (call) => {
    const methods = payinMethodsOf(callersSite(call).currencies)
    return json(200, {
      records: methods.map(({ currency, code }) => ({ currency, payin_method_name: code })),
    })
  })
  api.get('/v2/payins/payin_method/params', (call) => {
    const code = call.query.get('payin_method_name')
    const method = payinMethodsOf(callersSite(call).currencies).find((candidate) => candidate.code === code)
    return method === undefined ? badRequest() : json(200, { record: payinMethodRecord(method, store.origin) })
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
export function v2PayoutMethods(api: ApiRoutes): void {
  api.get('/v2/payouts/payout_methods', (call) => {
    const methods = payoutMethodsOf(callersSite(call).currencies)
    return json(200, {
      records: methods.map(({ currency, code }) => ({ currency, payout_method_name: code })),
    })
  })
  api.get('/v2/payouts/payout_method/params', (call) => {
    const code = call.query.get('payout_method_name')
    if (code === null || code === '') return unprocessable({ payout_method_name: "can't be blank" })
    const method = payoutMethodsOf(callersSite(call).currencies).find((candidate) => candidate.code === code)
    return method === undefined
      ? unprocessable({ payout_method_name: 'is not available for this site' })
      : json(200, { record: payoutMethodRecord(method) })
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
export function v2Balances(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v2/balances/detail', (call) => {
    const site = callersSite(call)
    const currency = call.query.get('currency') ?? 'AUD'
    if (!site.currencies.includes(currency)) return badRequest()
    const { available, incoming, outgoing, reserve, withdrawable } = balanceOf(store, site.id, currency)
    return json(200, {
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
export function v2Banks(api: ApiRoutes): void {
  api.postJson('/v2/banks/lookup/qr_content', (body, call) => {
    const { qr_content: qrContent } = body
    return sendAccount(call, typeof qrContent === 'string' ? qrContent : '')
  })

  api.post('/v2/banks/lookup/qr_image', (call) => {
    const isForm = /^multipart\/form-data/i.test(call.request.headers['content-type'] ?? '')
    if (!isForm) return badRequest()
    return sendAccount(call, payloadIn(call.body.toString('latin1')))
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

function sendAccount(call: Call, qrContent: string): Answer {
  if (!callersSite(call).currencies.includes('VND')) return notFound('The bank look-up is for sites with VND alone.')
  const found = lookUp(qrContent)
  if ('problem' in found) return notFound(found.problem)
  const { accountName, accountNumber, bankName, swiftCode } = found.account
  return json(200, {
    account_name: accountName,
    account_number: accountNumber,
    bank_name: bankName,
    swift_code: swiftCode,
  })
}
