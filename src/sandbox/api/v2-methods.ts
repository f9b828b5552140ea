import type { FastifyInstance } from 'fastify'
import { payinMethodsOf, symbolOf } from '../methods/methods-v2.ts'
import type { Method } from '../methods/methods.ts'
import { payinParamRules } from '../payins/check-payin-request.ts'
import { payoutMethodsOf, type PayoutMethod } from '../payouts/payout-methods.ts'
import { sendBadRequest, sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber } from '../values/decimal.ts'
import { callersSite } from './api.ts'

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
    is_cancellable: false,
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
