import { accepts } from '../../../domain/payin-method-limits.ts'
import type { PayinMethod } from '../../../domain/payin-method.ts'
import { isCurrent } from '../../../upstream/method-cache.ts'
import type { QueryPayinMethodsArgs, QueryResolvers } from '../../generated.ts'
import { validAmount } from '../../valid-amount.ts'

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
