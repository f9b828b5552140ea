/** Limits how many of something each holder has at once. */
export type ConcurrencyLimiter = {
  /** Takes one for the holder. Returns false when the holder has `limit` already. */
  acquire(holder: string): boolean
  /** Gives back one that `acquire` has taken. */
  release(holder: string): void
}

/** Makes a limiter with `limit` for each holder; 0 means no limit. Holders that hold nothing take no memory. */
export function createConcurrencyLimiter(limit: number): ConcurrencyLimiter {
  const taken = new Map<string, number>()
  return {
    acquire(holder) {
      const count = taken.get(holder) ?? 0
      if (limit !== 0 && count >= limit) return false
      taken.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (taken.get(holder) ?? 0) - 1
      if (left > 0) taken.set(holder, left)
      else taken.delete(holder)
    },
  }
}

/** Seconds' worth of a rate that may come at once. */
const BURST_S = 4

/**
 * A rate limiter whose state is one number: the instant at which its bucket of four seconds' worth is full again. Takes so many
 * from it and returns that instant; null when there are fewer left. All instants are in milliseconds of a clock that never jumps.
 */
export function takeFromRate(fullAt: number, amount: number, perSecond: number, now: number): number | null {
  const next = Math.max(fullAt, now) + (amount * 1_000) / perSecond
  return next - now > BURST_S * 1_000 ? null : next
}
