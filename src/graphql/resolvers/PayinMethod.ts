import { limitOf } from '../../domain/methods/payin-method-limits.ts'
import type { PayinMethod as Method } from '../../domain/methods/payin-method.ts'
import { validAmount } from '../arguments/valid-amount.ts'
import type { Context } from '../context.ts'
import type { PayinMethodResolvers } from '../generated.ts'
import { accepts, limitsOf, recordOf } from '../views/payin-method-record.ts'
import { whenKnown } from '../when-known.ts'

export const PayinMethod: PayinMethodResolvers = {
  usableFor: ({ usableFor }) => [...usableFor],
  name: (method, _args, context) =>
    method.name ?? whenKnown(recordOf(method, context), (record) => record?.description ?? method.code),
  minAmount: (method, _args, context) => whenKnown(limitsOf(method, context), (limits) => limitOf(limits, 'minAmount')),
  maxAmount: (method, _args, context) => whenKnown(limitsOf(method, context), (limits) => limitOf(limits, 'maxAmount')),
  cardBrands: (method) => method.cardBrands && [...method.cardBrands],
  checkoutLanguages: (method) => method.checkoutLanguages && [...method.checkoutLanguages],
  networks: (method, _args, context) => said(method, ({ networks }) => networks && [...networks], context),
  symbol: (method, _args, context) => said(method, ({ symbol }) => symbol, context),
  logo: (method, _args, context) => said(method, ({ logo }) => logo, context),
  traits: (method) => method,
  accepts: (method, { amount }, context) => accepts(method, validAmount(amount), context),
  requiredFields: (method, _args, context) =>
    whenKnown(recordOf(method, context), (record) => record?.fields.slice() ?? null),
  __resolveReference: ({ code }, { loaders }) => loaders.methodByCode.load(code),
}

/** Returns what the lists say of a method, or if they do not, what its record says. */
function said<Value>(
  method: Method,
  of: (source: Pick<Method, 'networks' | 'symbol' | 'logo'>) => Value | null,
  context: Context,
): Value | null | Promise<Value | null> {
  return of(method) ?? whenKnown(recordOf(method, context), (record) => record && of(record))
}
