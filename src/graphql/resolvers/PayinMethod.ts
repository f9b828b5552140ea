import { accepts, limitOf } from '../../domain/methods/payin-method-limits.ts'
import { validAmount } from '../arguments/valid-amount.ts'
import type { PayinMethodResolvers } from '../generated.ts'

export const PayinMethod: PayinMethodResolvers = {
  minAmount: (method) => limitOf(method, 'minAmount'),
  maxAmount: (method) => limitOf(method, 'maxAmount'),
  cardBrands: (method) => method.cardBrands && [...method.cardBrands],
  checkoutLanguages: (method) => method.checkoutLanguages && [...method.checkoutLanguages],
  traits: (method) => method,
  accepts: (method, { amount }) => accepts(method, validAmount(amount)),
  requiredFields: async (method, _args, { requirements, freshness }) =>
    (await requirements.ofPayin(method, freshness.markStale))?.fields.slice() ?? null,
  __resolveReference: ({ code }, { loaders }) => loaders.methodByCode.load(code),
}
