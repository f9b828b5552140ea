import type { PayinMethod } from '../../../domain/methods/payin-method.ts'
import { isCurrent } from '../../../upstream/methods/method-cache.ts'
import type { MissingMethods } from '../../../upstream/methods/payin-method-lists.ts'
import { validAmount } from '../../arguments/valid-amount.ts'
import type { Context } from '../../context.ts'
import type { QueryPayinMethodsArgs, QueryResolvers } from '../../generated.ts'
import { accepts } from '../../views/payin-method-record.ts'

export const payinMethods: QueryResolvers['payinMethods'] = async (_root, args, context) => {
  if (args.amount != null) validAmount(args.amount)
  const list = await context.methods.list(args.currencies ?? undefined)
  if (!isCurrent(list)) context.freshness.markStale()
  const usable = forUses(list.methods, args)
  return {
    nodes: await matching(usable, args, context),
    fetchedAt: list.fetchedAt,
    stale: list.stale,
    unavailable: list.unavailable.filter(
      (code) => isMissing(list.missing, code, args) && usable.every(({ currency }) => currency !== code),
    ),
    missing: [...list.missing],
  }
}

function forUses(methods: readonly PayinMethod[], { usableFor }: QueryPayinMethodsArgs): readonly PayinMethod[] {
  return usableFor == null
    ? methods
    : methods.filter((method) => usableFor.some((use) => method.usableFor.includes(use)))
}

/** Returns the methods of the kinds that may take the amount. Without these filters it returns the same array. */
async function matching(
  methods: readonly PayinMethod[],
  { kinds, amount }: QueryPayinMethodsArgs,
  context: Context,
): Promise<PayinMethod[]> {
  const ofKinds = kinds == null ? methods : methods.filter(({ kind }) => kinds.includes(kind))
  if (amount == null) return ofKinds as PayinMethod[]
  const candidates = ofKinds.filter(({ currency }) => currency === amount.currency)
  const answers = await Promise.all(candidates.map(async (method) => accepts(method, amount, context)))
  return candidates.filter((_method, index) => answers[index] !== false)
}

function isMissing(missing: readonly MissingMethods[], code: string, { usableFor }: QueryPayinMethodsArgs): boolean {
  return missing.some(({ currency, use }) => currency === code && (usableFor?.includes(use) ?? true))
}
