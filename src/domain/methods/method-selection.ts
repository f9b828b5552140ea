import { compareDecimals } from '../money/money.ts'
import { accepts, type MethodKind, type PayinMethod, type PayinMethodUse } from './payin-method.ts'

/** Filters of a list of methods; null for all. */
export type MethodFilter = {
  readonly usableFor: readonly PayinMethodUse[] | null
  readonly kinds: readonly MethodKind[] | null
  readonly currency: string | null
}

/** The methods of a list that a filter leaves, in the order of the list. */
export type MethodSelection = {
  /** Frozen. */
  readonly methods: readonly PayinMethod[]
  /** Those of which the list names no limit. */
  readonly unlimited: readonly PayinMethod[]
  /**
   * Returns the methods that may take an amount, in plain digits of their one currency: those whose limits allow it, and those without limits.
   * Frozen, and the same array for all amounts that the same limits allow.
   */
  accepting(value: string): readonly PayinMethod[]
}

/** Arrays that are kept, of all lists together. Few occur in practice; a caller that varies filters and amounts must not fill the memory. */
const MOST_KEPT = 4_096

/** Returns the function that selects from a frozen list. The same list and filter give the same selection, so that values derived from it stay valid. */
export function createMethodSelector(): (methods: readonly PayinMethod[], filter: MethodFilter) => MethodSelection {
  let made = new WeakMap<readonly PayinMethod[], Map<string, MethodSelection>>()
  let kept = 0
  const count = () => {
    kept += 1
    if (kept <= MOST_KEPT) return
    kept = 0
    made = new WeakMap()
  }
  return (methods, filter) => {
    const key = `${filter.currency ?? '*'} ${nameOf(filter.usableFor)} ${nameOf(filter.kinds)}`
    const known = made.get(methods)?.get(key)
    if (known !== undefined) return known
    count()
    const ofList = made.get(methods) ?? new Map<string, MethodSelection>()
    const selection = select(methods, filter, count)
    made.set(methods, ofList.set(key, selection))
    return selection
  }
}

/** Returns a name for a set of values, in any order and however often each is given; `*` for all values. */
function nameOf(values: readonly string[] | null): string {
  if (values === null) return '*'
  return values.length < 2 ? values.join() : [...new Set(values)].sort().join()
}

/** `count` is called for each array of methods that the selection keeps later. */
function select(
  methods: readonly PayinMethod[],
  { usableFor, kinds, currency }: MethodFilter,
  count: () => void,
): MethodSelection {
  const selected = methods.filter(
    (method) =>
      (usableFor === null || usableFor.some((use) => method.usableFor.includes(use))) &&
      (kinds === null || kinds.includes(method.kind)) &&
      (currency === null || method.currency === currency),
  )
  const limits = [...new Set(selected.flatMap(({ minAmount, maxAmount }) => [minAmount, maxAmount]))]
    .filter((limit) => limit !== null)
    .toSorted(compareDecimals)
  const byPlace = new Map<number, readonly PayinMethod[]>()
  return {
    methods: Object.freeze(selected),
    unlimited: selected.filter(({ minAmount, maxAmount }) => minAmount === null && maxAmount === null),
    accepting(value) {
      const place = placeOf(value, limits)
      const known = byPlace.get(place)
      if (known !== undefined) return known
      count()
      const accepted = selected.filter((method) => accepts(method, { value, currency: method.currency }) !== false)
      byPlace.set(place, Object.freeze(accepted))
      return accepted
    },
  }
}

/** Returns the place of a value among sorted limits: an odd number if it equals one of them, an even one if it lies between two. */
function placeOf(value: string, limits: readonly string[]): number {
  let from = 0
  let to = limits.length
  while (from < to) {
    const middle = (from + to) >> 1
    const difference = compareDecimals(value, limits[middle] as string)
    if (difference === 0) return 2 * middle + 1
    if (difference < 0) to = middle
    else from = middle + 1
  }
  return 2 * from
}
