import type { MethodKind, PayinMethod, PayinMethodUse } from './payin-method.ts'

/** Filters of a list of methods; null for all. */
export type MethodFilter = {
  readonly usableFor: readonly PayinMethodUse[] | null
  readonly kinds: readonly MethodKind[] | null
  readonly currency: string | null
}

/** Returns the methods of a list that a filter leaves, in the order of the list. */
export function selectMethods(
  methods: readonly PayinMethod[],
  { usableFor, kinds, currency }: MethodFilter,
): readonly PayinMethod[] {
  return methods.filter(
    (method) =>
      (usableFor === null || usableFor.some((use) => method.usableFor.includes(use))) &&
      (kinds === null || kinds.includes(method.kind)) &&
      (currency === null || method.currency === currency),
  )
}
