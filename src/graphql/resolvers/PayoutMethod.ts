import { type Limits, limitOf } from '../../domain/methods/payin-method-limits.ts'
import type { PayoutMethodResolvers } from '../generated.ts'
import { demandScopes } from '../rights/demand-scopes.ts'

export const PayoutMethod: PayoutMethodResolvers = {
  name: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.description ?? method.code,
  minAmount: async (method, _args, { requirements }) => limitFrom(await requirements.ofPayout(method), 'minAmount'),
  maxAmount: async (method, _args, { requirements }) => limitFrom(await requirements.ofPayout(method), 'maxAmount'),
  requiredFields: async (method, _args, { requirements }) =>
    (await requirements.ofPayout(method))?.fields.slice() ?? null,
  banks: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.banks.slice() ?? null,
  __resolveReference({ code }, { caller, payoutMethods }) {
    demandScopes(caller, 'PayoutMethod', [['payouts:read']])
    return payoutMethods.find(code)
  },
}

function limitFrom(record: Limits | null, which: 'minAmount' | 'maxAmount') {
  return record === null ? null : limitOf(record, which)
}
