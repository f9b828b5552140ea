/** How many of something each holder has. */
export type Quota = {
  /** Takes one for a holder and gives the function that returns it; null when the holder has as many as allowed. */
  take(holder: string): (() => void) | null
}

/** A quota of so many for each holder; 0 stands for any number. A holder that has returned everything is forgotten. */
export function createQuota(limit: number): Quota {
  const taken = new Map<string, number>()
  return {
    take(holder) {
      const count = taken.get(holder) ?? 0
      if (limit !== 0 && count >= limit) return null
      taken.set(holder, count + 1)
      let returned = false
      return () => {
        if (returned) return
        returned = true
        const left = (taken.get(holder) ?? 0) - 1
        if (left > 0) taken.set(holder, left)
        else taken.delete(holder)
      }
    },
  }
}

/** Seconds' worth of a rate that may come at once. */
const BURST_S = 4

/**
 * Gives a function that takes one, or so many, and tells whether that fits into a rate per second: a bucket of four seconds'
 * worth, which fills as time passes. `now` gives milliseconds of a clock that never jumps.
 */
export function createRate(
  perSecond: number,
  now: () => number = () => performance.now(),
): (amount?: number) => boolean {
  const most = perSecond * BURST_S
  let left = most
  let filledAt = now()
  return (amount = 1) => {
    const at = now()
    left = Math.min(most, left + ((at - filledAt) / 1_000) * perSecond)
    filledAt = at
    if (left < amount) return false
    left -= amount
    return true
  }
}
