import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { LeaseStore } from '../store/store.ts'

/** Whether this process is the one of its cluster that makes the planned reads. */
export type Leader = {
  isLeader(): boolean
  /** Tries now, and from then on every ten seconds. Resolves when the first try has ended. */
  start(): Promise<void>
  /** Gives the lease back. */
  close(): Promise<void>
}

export type LeaderOptions = {
  readonly leases: LeaseStore
  /** A name that no other process has. */
  readonly owner: string
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Called each time that the lease has come to this process. */
  readonly onGained: () => Promise<void>
}

const LEASE_MS = 30_000
const RENEW_MS = 10_000

/**
 * One reader at a time in a cluster, by a lease in the store. It spares the payments API reads that several processes would
 * make; nothing depends on it. A process that was paused beyond its lease may still record the answer to a read that it
 * had sent: the store takes an answer only while no delivery and no other answer was recorded since the subject was taken,
 * and then it is the newest that anybody has. So the lease needs no fencing number, and clocks that differ by more than
 * its length cost reads, and nothing else.
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
    // Counted from before the store is asked, so that it never seems to last longer here than there.
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
