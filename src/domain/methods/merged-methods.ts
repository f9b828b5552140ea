import type { MethodFlags } from './method-traits.ts'
import type { PayinMethod } from './payin-method.ts'

/**
 * Returns the methods of several lists as one list, without duplicate codes: those of the first list in its order, then the others. What an
 * earlier list does not say of a method is taken from a later one.
 */
export function mergedMethods(lists: readonly (readonly PayinMethod[])[]): PayinMethod[] {
  const byCode = new Map<string, PayinMethod>()
  for (const method of lists.flat()) {
    const known = byCode.get(method.code)
    byCode.set(method.code, known === undefined ? method : merged(known, method))
  }
  return [...byCode.values()]
}

function merged(first: PayinMethod, second: PayinMethod): PayinMethod {
  // A currency is part of what a limit means.
  const { minAmount, maxAmount, ...others } = second
  const limits = first.currency === second.currency ? { minAmount, maxAmount } : {}
  return {
    ...filled(first, { ...others, ...limits }),
    usableFor: [...new Set([...first.usableFor, ...second.usableFor])],
    flags: filled<MethodFlags>(first.flags, second.flags),
  }
}

/** Returns `first` with what is null in it taken from `second`. */
function filled<Value extends object>(first: Value, second: Partial<Value>): Value {
  const said = Object.entries(first).filter(([, value]) => value !== null)
  return { ...first, ...second, ...Object.fromEntries(said) }
}
