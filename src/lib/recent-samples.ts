/** The latest samples of something, in a bounded number and of a bounded age. */
export type RecentSamples<Sample> = {
  add(sample: Sample): void
  /** Returns those that are not too old, the oldest first. */
  list(): Sample[]
}

/** Creates an empty set of samples. `most` of them are kept, for `maxAgeMs`. */
export function createRecentSamples<Sample>(
  { most, maxAgeMs }: { readonly most: number; readonly maxAgeMs: number },
  clock: () => Date,
): RecentSamples<Sample> {
  const kept: { readonly at: number; readonly sample: Sample }[] = []
  let next = 0
  return {
    add(sample) {
      kept[next] = { at: clock().getTime(), sample }
      next = (next + 1) % most
    },
    list() {
      const since = clock().getTime() - maxAgeMs
      const inOrder = [...kept.slice(next), ...kept.slice(0, next)]
      return inOrder.filter(({ at }) => at >= since).map(({ sample }) => sample)
    },
  }
}

/** Returns the smallest value that a share (0 to 1) of the values do not exceed; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null
}
