import { accepts } from '../../../domain/methods/payin-method-limits.ts'
import type { PayinMethod } from '../../../domain/methods/payin-method.ts'
import { isCurrent } from '../../../upstream/methods/method-cache.ts'
import { validAmount } from '../../arguments/valid-amount.ts'
import type { QueryPayinMethodsArgs, QueryResolvers } from '../../generated.ts'

export const payinMethods: QueryResolvers['payinMethods'] = async (_root, args, { methods, freshness }) => {
  if (args.amount != null) validAmount(args.amount)
  const list = await methods.list(args.currencies ?? undefined)
  if (!isCurrent(list)) freshness.markStale()
  return {
    nodes: select(list.methods, args),
    fetchedAt: list.fetchedAt,
    stale: list.stale,
    unavailable: [...list.unavailable],
  }
}

function select(methods: readonly PayinMethod[], { amount, kinds }: QueryPayinMethodsArgs): PayinMethod[] {
  if (amount == null && kinds == null) return methods as PayinMethod[]
  return methods.filter(
    (method) =>
      (kinds?.includes(method.kind) ?? true) &&
      (amount == null || (method.currency === amount.currency && accepts(method, amount) !== false)),
  )
}
