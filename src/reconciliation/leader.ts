import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { LeaseStore } from '../store/store.ts'

/** Leader election: the leader of the cluster makes the planned reads. */
export type Leader = {
  isLeader(): boolean
  /** Tries to get the lease now and then every ten seconds. Resolves after the first try. */
  start(): Promise<void>
  /** Releases the lease. */
  close(): Promise<void>
}

export type LeaderOptions = {
  readonly leases: LeaseStore
  /** Unique name of this process. */
  readonly owner: string
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Called each time this process obtains the lease. */
  readonly onGained: () => Promise<void>
}

const LEASE_MS = 30_000
const RENEW_MS = 10_000

/**
 * Ensures one reader at a time in a cluster, by a lease in the store. This saves duplicate reads of the payments API; correctness
 * does not depend on it. A process that was paused beyond its lease may still record the answer to a read it had sent: the store
 * accepts an answer only if no delivery and no other answer was recorded since the subject was taken, and then the answer is the
 * newest known. So the lease needs no fencing number, and clocks that differ by more than its length cost only extra reads.
 */
export function createLeader(options: LeaderOptions): Leader {
  const { leases, owner, logger, clock, timer, onGained } = options
  let heldUntil = Number.NEGATIVE_INFINITY
  let cancel = () => {}
  let trying: Promise<void> = Promise.resolve()
  let closed = false

  const isLeader = () => timer.now() < heldUntil

  const attempt = async () => {
    const wasLeader = isLeader()
    // Counted from before the store call, so that the lease never appears to last longer here than in the store.
    const until = timer.now() + LEASE_MS
    const now = clock()
    const isHeld = await leases.take('reader', owner, { now, until: new Date(now.getTime() + LEASE_MS) })
    heldUntil = isHeld ? until : Number.NEGATIVE_INFINITY
    if (isHeld === wasLeader) return
    logger.info({ kind: isHeld ? 'gained' : 'lost' }, 'the lease of the reader has changed hands')
    if (isHeld) await onGained()
  }

  const tryAgain = () => {
    if (closed) return
    trying = attempt()
      .catch((error: unknown) => logger.error({ err: error }, 'the lease of the reader could not be taken'))
      .finally(() => {
        if (!closed) cancel = timer.after(RENEW_MS, tryAgain)
      })
  }

  return {
    isLeader,
    async start() {
      tryAgain()
      await trying
    },
    async close() {
      closed = true
      cancel()
      await trying
      if (!isLeader()) return
      heldUntil = Number.NEGATIVE_INFINITY
      await leases.release('reader', owner).catch((error: unknown) => {
        logger.warn({ err: error }, 'the lease of the reader could not be given back')
      })
    },
  }
}
