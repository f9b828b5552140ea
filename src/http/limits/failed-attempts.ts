/** Counts how often each peer has shown wrong credentials lately. */
export type FailedAttempts = {
  count(peer: string): void
  /** Whether a peer has failed more often than it may in the current minute. */
  tooMany(peer: string): boolean
  /** Whether any peer has failed more often than it may in the current minute. */
  anyTooMany(): boolean
  /** Whole seconds until the current minute is over. */
  retryAfter(): number
}

export type FailedAttemptsOptions = {
  /** Failures of one peer and minute that are let pass. */
  readonly limit: number
  /** A clock in milliseconds that only rises. */
  readonly clock: () => number
  /** How many peers are counted at once. */
  readonly capacity?: number
}

const WINDOW_MS = 60_000
const CAPACITY = 10_000

/**
 * Makes a counter that begins anew each minute. Its size is bounded, and when it is full new peers are not counted rather
 * than old ones forgotten: whoever commands many addresses must not be able to clear the record of one of them.
 */
export function createFailedAttempts({ limit, clock, capacity = CAPACITY }: FailedAttemptsOptions): FailedAttempts {
  const failures = new Map<string, number>()
  let most = 0
  let begun = clock()
  const current = () => {
    if (clock() - begun < WINDOW_MS) return failures
    failures.clear()
    most = 0
    begun = clock()
    return failures
  }
  return {
    count(peer) {
      const known = current().get(peer)
      if (known === undefined && failures.size >= capacity) return
      failures.set(peer, (known ?? 0) + 1)
      most = Math.max(most, (known ?? 0) + 1)
    },
    tooMany: (peer) => (current().get(peer) ?? 0) > limit,
    anyTooMany: () => most > limit && current().size > 0,
    retryAfter: () => Math.max(1, Math.ceil((begun + WINDOW_MS - clock()) / 1000)),
  }
}
