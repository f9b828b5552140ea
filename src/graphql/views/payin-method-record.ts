import type { MethodRequirements } from '../../domain/methods/method-field.ts'
import { accepts as acceptsWithin, type Limits } from '../../domain/methods/payin-method-limits.ts'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { Money } from '../../domain/money/money.ts'
import type { Context } from '../context.ts'
import { whenKnown } from '../when-known.ts'

type Sources = Pick<Context, 'requirements' | 'freshness'>

/** Returns the record of a direct payin method; null for other methods, and if the payments API does not answer. */
export function recordOf(
  method: PayinMethod,
  { requirements, freshness }: Sources,
): MethodRequirements | null | Promise<MethodRequirements | null> {
  return method.usableFor.includes('DIRECT') ? requirements.ofPayin(method, freshness.markStale) : null
}

/** Returns the limits of a method: those in the lists, or if they have none, those in its record. */
export function limitsOf(method: PayinMethod, sources: Sources): Limits | Promise<Limits> {
  if (method.minAmount !== null || method.maxAmount !== null) return method
  return whenKnown(recordOf(method, sources), (record) => record ?? method)
}

/** Returns whether an amount is within the limits of a method; null if the currency differs or no limit is known. */
export function accepts(
  method: PayinMethod,
  amount: Money,
  sources: Sources,
): boolean | null | Promise<boolean | null> {
  if (method.currency !== amount.currency) return null
  return whenKnown(limitsOf(method, sources), (limits) => acceptsWithin(limits, amount))
}
