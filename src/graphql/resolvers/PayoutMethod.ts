import { hasScope } from '../../access/caller.ts'
import type { PayoutMethodResolvers } from '../generated.ts'

export const PayoutMethod: PayoutMethodResolvers = {
  requiredFields: async (method, _args, { requirements }) =>
    (await requirements.ofPayout(method))?.fields.slice() ?? null,
  banks: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.banks.slice() ?? null,
  __resolveReference: ({ code }, { caller, payoutMethods }) =>
    hasScope(caller, 'payouts:read') ? payoutMethods.find(code) : null,
}
