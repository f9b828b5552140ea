type Bounds = { readonly from: Date | null; readonly before: Date | null }

/**
 * Returns the bounds of an export by the instant of the last change. A list with such a bound is in the order of changes, and a payment that
 * changes goes to its front, behind the export. The upper bound is therefore `now` at the latest: such a payment does not match any more.
 */
export function exportBounds({ from, before }: Bounds, now: Date): Bounds {
  if (from === null && before === null) return { from, before }
  return { from, before: before !== null && before < now ? before : now }
}
