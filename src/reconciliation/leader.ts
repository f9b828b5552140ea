import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { Lease, LeaseStore, Store } from '../store/store.ts'

/** Leader election: the leader of the cluster makes the planned reads. */
export type Leader = HeldLease & {
  /** Tries to get the lease now and then every ten seconds. Resolves after the first try. */
  start(): Promise<void>
  /** Releases the lease. */
  close(): Promise<void>
}

/** The lease of the leader, for the work that is done under it. */
export type HeldLease = {
  /** Returns the lease of this process; null if another process may have it. */
  lease(): Lease | null
  /** Gives up a lease that the store has refused. */
  lost(lease: Lease): void
}

export type LeaderOptions = {
  readonly store: Pick<Store, 'now'> & { readonly leases: Pick<LeaseStore, 'take' | 'release'> }
  /** Unique name of this process. */
  readonly owner: string
  readonly logger: Logger
  readonly timer: Timer
  /** Called each time this process obtains the lease. */
  readonly onGained: () => Promise<void>
}

const LEASE_MS = 30_000
const RENEW_MS = 10_000

/**
 * Ensures one reader at a time in a cluster, by a lease in the store. The lease expires by the database's clock, which all processes share,
 * so a wrong clock of a process neither ends the lease of another nor extends its own. A process judges its own lease by its monotonic
 * timer. One that was paused beyond its lease, and does not know it yet, is stopped by the store: all work under a lease carries its fencing
 * number, and is refused once another process has taken the lease.
 */
export function createLeader(options: LeaderOptions): Leader {
  const { store, owner, logger, timer, onGained } = options
  let held: { readonly lease: Lease; readonly until: number } | null = null
  let cancel = () => {}
  let trying: Promise<void> = Promise.resolve()
  let closed = false

  const lease = () => (held !== null && timer.now() < held.until ? held.lease : null)

  const attempt = async () => {
    const before = lease()
    // Counted from before the clock is read, so that the lease never appears to last longer here than in the store.
    const until = timer.now() + LEASE_MS
    const now = await store.now()
    const taken = await store.leases.take('reader', owner, { now, until: new Date(now.getTime() + LEASE_MS) })
    held = taken === null ? null : { lease: taken, until }
    if (taken?.fence === before?.fence) return
    logger.info({ kind: taken === null ? 'lost' : 'gained' }, 'the lease of the reader has changed hands')
    if (taken !== null) await onGained()
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
    lease,
    lost(refused) {
      if (held?.lease.fence !== refused.fence) return
      held = null
      logger.warn({ kind: 'lost' }, 'another process has taken over the lease of the reader')
    },
    async start() {
      tryAgain()
      await trying
    },
    async close() {
      closed = true
      cancel()
      await trying
      const last = lease()
      if (last === null) return
      held = null
      await store.leases.release(last).catch((error: unknown) => {
        logger.warn({ err: error }, 'the lease of the reader could not be given back')
      })
    },
  }
}
