import type { FastifyInstance } from 'fastify'
import { symbolOf } from '../methods/methods-v2.ts'
import { payoutMethodsOf } from '../payouts/payout-methods.ts'
import type { PayoutMethod } from '../payouts/payout-methods.ts'
import { sendJson, sendProblems } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber } from '../values/wire.ts'
import { callersSite } from './api.ts'

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
      : sendJson(reply, 200, { record: methodRecord(method) })
  })
}

function methodRecord(method: PayoutMethod): object {
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
