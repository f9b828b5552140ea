import type { FastifyInstance } from 'fastify'
import { methodsOf } from '../methods/methods.ts'
import type { Method } from '../methods/methods.ts'
import { sendJson } from '../server/json-answers.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { jsonNumber } from '../values/wire.ts'
import { callersSite } from './api.ts'

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
