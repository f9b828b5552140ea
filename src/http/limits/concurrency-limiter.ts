import type { LimitUse } from '../../observability/metrics/metrics.ts'
import { type SharedCounts, UNSHARED } from '../../redis/shared-counts.ts'

/** Limits the number of concurrent items per holder. */
export type ConcurrencyLimiter = {
  /** Acquires one for the holder. Returns false if the holder already has `limit`. */
  acquire(holder: string): boolean
  /** Releases one that was acquired. */
  release(holder: string): void
  /** Returns the limit, and how much of it the holder with most items has here. */
  most(): LimitUse
}

/**
 * Creates a limiter with `limit` per holder; 0 means no limit. Holders without items take no memory. With `shared`, what a holder has at other
 * nodes counts too.
 */
export function createConcurrencyLimiter(limit: number, shared: SharedCounts = UNSHARED): ConcurrencyLimiter {
  const taken = new Map<string, number>()
  return {
    acquire(holder) {
      const count = taken.get(holder) ?? 0
      if (limit !== 0 && count + shared.others(holder) >= limit) return false
      taken.set(holder, count + 1)
      shared.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (taken.get(holder) ?? 0) - 1
      if (left > 0) taken.set(holder, left)
      else taken.delete(holder)
      shared.set(holder, Math.max(left, 0))
    },
    most: () => ({ used: mostOf(taken.values()), maximum: limit }),
  }
}

function mostOf(counts: Iterable<number>): number {
  let most = 0
  for (const count of counts) most = Math.max(most, count)
  return most
}
