import { hasScope } from '../../access/caller.ts'
import type { PayoutMethodResolvers } from '../generated.ts'

export const PayoutMethod: PayoutMethodResolvers = {
  requiredFields: async (method, _args, { requirements }) =>
    (await requirements.ofPayout(method))?.fields.slice() ?? null,
  banks: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.banks.slice() ?? null,
  // A copy, because the `_entities` resolver of @apollo/subgraph would write `__typename` into the object.
  __resolveReference: async ({ code }, { caller, payoutMethods }) => {
    const method = hasScope(caller, 'payouts:read') ? await payoutMethods.find(code) : null
    return method && { ...method }
  },
}
