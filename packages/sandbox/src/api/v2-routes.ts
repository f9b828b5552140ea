import { lookUp } from '../accounts/bank-accounts.ts'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { badRequest, json, notFound, readJsonObject, unprocessable } from '../http/answers.ts'
import type { Answer } from '../http/server.ts'
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
import { paidInFull } from '../payments/payment-object.ts'
import { readPayout } from '../payouts/check-payout-request.ts'
import { cancelScheduled, createPayout, findPayout, listPayouts } from '../payouts/payout-steps.ts'
import { payoutRecord, payoutMethodsOf, type PayoutMethod } from '../payouts/sandbox-payout.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { money, jsonNumber } from '../values/decimal.ts'
import { Fields, type JsonObject, type Problems, optionalPositiveNumber } from '../values/request-fields.ts'
import { type ApiRoutes } from './api.ts'
import { listPage, readListQuery, PAYOUT_LIST, rangePage, readRangeQuery } from './queries.ts'
import { readRefund } from './v3-links.ts'

/** Payins: create, detail, list, simulate, cancel and refund (docs/payments-api.md, section 4.5; gap sheet, sections 9 to 12). */
export function v2Payins(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v2/payins', (body, site) => {
    const read = readPayin(body, site, store.clock.now())
    if ('problems' in read) return unprocessable(read.problems)
    return json(200, payinRecord(store, createPayin(store, site, read.payin)))
  })

  api.get('/v2/payins/detail', (call, site) => {
    const uuid = call.query.get('uuid') ?? ''
    const payin = findPayin(store, site, uuid)
    return payin === undefined ? badRequest() : json(200, payinRecord(store, payin))
  })

  api.get('/v2/payins/all', (call, site) => {
    const query = readListQuery(call.query)
    if ('problem' in query) return badRequest()
    const found = listPayins(store, site, query.filter)
    const shown = listPage(found, query, (payin) => payinRecord(store, payin))
    return json(200, shown)
  })

  api.post('/v2/payins/simulate', (call, site) => {
    const simulation = readSimulation(readJsonObject(call) ?? {})
    const done = simulation !== undefined && simulate(store, site, simulation)
    return done ? json(200, { status: 'ok' }) : badRequest()
  })

  api.post('/v2/payins/cancel', (call, site) => {
    const { uuid } = readJsonObject(call) ?? {}
    const payin = findPayin(store, site, typeof uuid === 'string' ? uuid : '')
    if (payin === undefined) return unprocessable({ uuid: 'does not exist' })
    return cancelPayin(store, payin) ? json(200, { status: 'ok' }) : unprocessable({ status: 'cannot be cancelled' })
  })

  api.postJson('/v2/payins/refund', (body, site) => {
    const read = readRefund(body)
    if ('problems' in read) return unprocessable(renamed(read.problems))
    const payin = findPayin(store, site, read.uuid)
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

function readSimulation(body: JsonObject): Simulation | undefined {
  const fields = new Fields(body)
  const [uuid, status] = [fields.text('uuid'), fields.text('status')]
  const amount = optionalPositiveNumber(fields, 'amount')
  if (!fields.isClean || (status !== 'completed' && status !== 'failed')) return undefined
  return { uuid, status, amount }
}

/** The problems use the field names of the payments API, which differ from those of the request (gap sheet, C23). */
function renamed(problems: Problems): Problems {
  return Object.fromEntries(Object.entries(problems).map(([name, problem]) => [REFUND_NAMES[name] ?? name, problem]))
}

const REFUND_NAMES: Readonly<Record<string, string>> = {
  uuid: 'payment_request_id',
  amount: 'refund_amount',
  description: 'reason',
}

/** Payouts: create, detail, list and cancel (gap sheet, sections 18 to 20). */
export function v2Payouts(api: ApiRoutes, store: SandboxStore): void {
  api.postJson('/v2/payouts', (body, site) => {
    const read = readPayout(body, site, store.clock.now())
    if ('problems' in read) return unprocessable(read.problems)
    return json(200, payoutRecord(createPayout(store, site, read.request)))
  })

  api.get('/v2/payouts/detail', (call, site) => {
    const uuid = call.query.get('uuid')
    if (uuid === null || uuid === '') return unprocessable({ uuid: "can't be blank" })
    const payout = findPayout(store, site, uuid)
    if (payout === undefined) return unprocessable({ uuid: 'does not exist' })
    return json(200, payoutRecord(payout))
  })

  api.get('/v2/payouts/all', (call, site) => {
    const query = readRangeQuery(call.query, PAYOUT_LIST)
    if ('problems' in query) return unprocessable(query.problems)
    const found = listPayouts(store, site, { ...query, isV1: false })
    return json(200, rangePage(found, query, payoutRecord))
  })

  api.postJson('/v2/payouts/cancel_scheduled', (body, site) => {
    const { uuid } = body
    if (typeof uuid !== 'string' || uuid === '') return unprocessable({ uuid: "can't be blank" })
    const payout = findPayout(store, site, uuid)
    if (payout === undefined) return notFound('There is no such payout.')
    return cancelScheduled(store, payout) ? json(200, { status: 'ok' }) : unprocessable({ status: 'is not scheduled' })
  })
}

/** Payin methods and the required fields of each (docs/payments-api.md, section 4.5; gap sheet, sections 7 and 8). */
export function v2PayinMethods(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v2/payins/payin_methods', (_call, site) => {
    const methods = payinMethodsOf(site.currencies)
    return json(200, {
      records: methods.map(({ currency, code }) => ({ currency, payin_method_name: code })),
    })
  })
  api.get('/v2/payins/payin_method/params', (call, site) => {
    const code = call.query.get('payin_method_name')
    const method = payinMethodsOf(site.currencies).find((candidate) => candidate.code === code)
    return method === undefined ? badRequest() : json(200, { record: payinMethodRecord(method, store.origin) })
  })
}

function payinMethodRecord(method: Method, origin: string): object {
  return {
    ...methodRecord(method),
    logo: method.kind === 'card' ? `${origin}/checkout/card.svg` : '',
    payin_method_name: method.code,
    description: method.name,
    payin_method_params: payinParamRules(method).descriptors,
    payment_type: 'pay_in',
    is_refundable: method.kind !== 'mobile_money',
    is_cancellable: method.kind !== 'mobile_money',
  }
}

/** What the records of payin and payout methods have in common. */
function methodRecord({ currency, min, max }: Method | PayoutMethod): object {
  return {
    currency,
    symbol: symbolOf(currency),
    require_contact: false,
    require_kyc: false,
    min_amount: jsonNumber(min),
    max_amount: jsonNumber(max),
  }
}

/** Payout methods and the required fields of each (docs/payments-api.md, section 4.6; gap sheet, section 17). */
export function v2PayoutMethods(api: ApiRoutes): void {
  api.get('/v2/payouts/payout_methods', (_call, site) => {
    const methods = payoutMethodsOf(site.currencies)
    return json(200, {
      records: methods.map(({ currency, code }) => ({ currency, payout_method_name: code })),
    })
  })
  api.get('/v2/payouts/payout_method/params', (call, site) => {
    const code = call.query.get('payout_method_name')
    if (code === null || code === '') return unprocessable({ payout_method_name: "can't be blank" })
    const method = payoutMethodsOf(site.currencies).find((candidate) => candidate.code === code)
    return method === undefined
      ? unprocessable({ payout_method_name: 'is not available for this site' })
      : json(200, { record: payoutMethodRecord(method) })
  })
}

function payoutMethodRecord(method: PayoutMethod): object {
  return {
    ...methodRecord(method),
    logo: '',
    payout_method_name: method.code,
    description: method.description,
    payment_type: 'pay_out',
    payout_method_params: method.descriptors,
    banks: method.banks.map(({ code, name, shortName }) => ({ code, name, short_name: shortName })),
    is_refundable: false,
    is_cancellable: false,
  }
}

/** `GET /v2/balances/detail` (gap sheet, section 24); a site has balances only in its own currencies. */
export function v2Balances(api: ApiRoutes, store: SandboxStore): void {
  api.get('/v2/balances/detail', (call, site) => {
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
  api.postJson('/v2/banks/lookup/qr_content', ({ qr_content: content }, site) =>
    accountOf(site, typeof content === 'string' ? content : ''),
  )

  api.post('/v2/banks/lookup/qr_image', (call, site) => {
    const isForm = /^multipart\/form-data/i.test(call.request.headers['content-type'] ?? '')
    return isForm ? accountOf(site, payloadIn(call.body.toString('latin1'))) : badRequest()
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

function accountOf({ currencies }: SandboxSite, qrContent: string): Answer {
  if (!currencies.includes('VND')) return notFound('The bank look-up is for sites with VND alone.')
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
