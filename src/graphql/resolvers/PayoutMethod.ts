import type { PayoutMethodResolvers } from '../generated.ts'
import { demandScopes } from '../rights/demand-scopes.ts'

export const PayoutMethod: PayoutMethodResolvers = {
  requiredFields: async (method, _args, { requirements }) =>
    (await requirements.ofPayout(method))?.fields.slice() ?? null,
  banks: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.banks.slice() ?? null,
  __resolveReference({ code }, { caller, payoutMethods }) {
    demandScopes(caller, 'PayoutMethod', [['payouts:read']])
    return payoutMethods.find(code)
  },
}
