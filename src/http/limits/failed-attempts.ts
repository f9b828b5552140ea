import { type SharedCounts, UNSHARED } from '../../redis/shared-counts.ts'

/** Counts failed authentications per peer and minute. */
export type FailedAttempts = {
  count(peer: string): void
  /** Whether a peer has exceeded its failures in the current minute. */
  tooMany(peer: string): boolean
  /** Whether any peer has exceeded its failures in the current minute. */
  anyTooMany(): boolean
  /** Whole seconds until the current minute ends. */
  retryAfter(): number
}

type FailedAttemptsOptions = {
  /** Allowed failures per peer and minute. */
  readonly limit: number
  /** A monotonic clock, in milliseconds. */
  readonly clock: () => number
  /** Maximum number of counted peers. */
  readonly capacity?: number
  /** What other nodes have counted in their current minute. */
  readonly shared?: SharedCounts
}

const WINDOW_MS = 60_000
const CAPACITY = 10_000

/**
 * Creates a counter that restarts each minute. Its size is bounded. If it is full, new peers are not counted and old ones are not
 * evicted: an attacker with many addresses must not be able to clear the count of one of them.
 */
export function createFailedAttempts(options: FailedAttemptsOptions): FailedAttempts {
  const { limit, clock, capacity = CAPACITY, shared = UNSHARED } = options
  const failures = new Map<string, number>()
  let most = 0
  let begun = clock()
  const current = () => {
    if (clock() - begun < WINDOW_MS) return failures
    for (const peer of failures.keys()) shared.set(peer, 0)
    failures.clear()
    most = 0
    begun = clock()
    return failures
  }
  return {
    count(peer) {
      const known = current().get(peer)
      if (known === undefined && failures.size >= capacity) return
      const count = (known ?? 0) + 1
      // Other nodes must not count a minute that is over, also if no request comes here any more.
      if (failures.size === 0 && shared !== UNSHARED) setTimeout(current, WINDOW_MS).unref()
      failures.set(peer, count)
      shared.set(peer, count)
      most = Math.max(most, count)
    },
    tooMany: (peer) => (current().get(peer) ?? 0) + shared.others(peer) > limit,
    anyTooMany: () => most + shared.highest() > limit && current().size > 0,
    retryAfter: () => Math.max(1, Math.ceil((begun + WINDOW_MS - clock()) / 1000)),
  }
}
