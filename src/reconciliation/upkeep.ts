import type { Store } from '../ledger/store.ts'
import { type PeriodicTask, runEach, startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { Lease } from '../store/port.ts'
import { LeaseLostError } from '../store/store-errors.ts'

type UpkeepOptions = {
  readonly store: Pick<Store, 'heartbeat' | 'sweep' | 'commands' | 'now'>
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** The process with this lease does the tasks. */
  readonly leader: HeldLease
  /** Begins the comparison of what the payments API has made in an interval. */
  readonly compare: (from: Date, to: Date) => Promise<void>
  /** Called when a sweep has planned reads. */
  readonly onSwept: () => void
}

const EVERY_MS = 15_000
const MINUTE_MS = 60_000
/** After a longer gap, the payments API may have given up on webhooks. */
const GAP_MS = 5 * MINUTE_MS
/** How long the payments API retries a webhook (docs/payments-api.md, section 6.1): its last attempts may lie in the gap. */
const RETRIES_MS = 45 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/** How long an idempotency record is kept. */
const KEEP_COMMANDS_MS = 30 * DAY_MS

/**
 * Writes a heartbeat, and detects from the previous one whether no process ran for a while: then everything that is under way is read again,
 * and what the payments API has made in the gap is compared. The heartbeat is an instant of the database's clock, and is written and judged under the lease. So the clock of
 * a process has no part in it, and a process that was paused can neither write an old heartbeat over a new one nor sweep a second time. Ends
 * expired leases of commands whose process has ended, and deletes commands that ended long ago. All of this by the timer every 15 seconds; a
 * task that failed is tried again.
 */
export function startUpkeep({ store, logger, clock, timer, leader, compare, onSwept }: UpkeepOptions): PeriodicTask {
  let purgedAt = Number.NEGATIVE_INFINITY

  const catchUp = async (now: Date, lease: Lease, mayGoOn: () => boolean) => {
    const last = await store.heartbeat.last()
    // One transaction: if the process ends right after it, the next process continues the sweep.
    if (last !== null && isGap(last, now)) await store.sweep.begin(sweptFrom(last, now), now, lease)
    else await store.heartbeat.beat(now, lease)
    const from = await store.sweep.pending()
    if (from === null) return
    await compare(from, now)
    await sweep(now, lease, mayGoOn)
  }

  const sweep = async (now: Date, lease: Lease, mayGoOn: () => boolean) => {
    let count = 0
    let done = false
    while (!done && mayGoOn()) {
      // Due at once by the clocks of all processes, also if the one of this process is ahead.
      const step = await store.sweep.step(clock() < now ? clock() : now, lease)
      count += step.planned
      done = step.done
    }
    if (!done) return
    logger.info({ count }, 'no process ran for a while: everything under way is read back')
    onSwept()
  }

  const tidy = async (now: Date) => {
    const unknown = await store.commands.expireLeases(now.getTime())
    if (unknown > 0) logger.warn({ count: unknown }, 'unanswered commands that no process waits for')
    if (now.getTime() - purgedAt < DAY_MS) return
    purgedAt = now.getTime()
    await store.commands.purge(new Date(now.getTime() - KEEP_COMMANDS_MS))
  }

  const work = async (mayGoOn: () => boolean) => {
    const lease = leader.lease()
    if (lease === null) return
    await runEach(
      [async () => catchUp(await store.now(), lease, mayGoOn), async () => tidy(await store.now())],
      (error) => {
        if (error instanceof LeaseLostError) leader.lost(lease)
        else logger.error({ err: error }, 'the upkeep failed; retrying')
      },
    )
  }
  return startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: () => leader.lease() !== null, work })
}

/** A heartbeat in the future was written by a wrong clock: for how long no process ran is then unknown. */
function isGap(last: Date, now: Date): boolean {
  return Math.abs(now.getTime() - last.getTime()) > GAP_MS
}

function sweptFrom(last: Date, now: Date): Date {
  return new Date(Math.min(last.getTime(), now.getTime()) - RETRIES_MS)
}

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

type LeaderOptions = {
  readonly store: Pick<Store, 'now'> & { readonly leases: Pick<Store['leases'], 'take' | 'release'> }
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
    logger.info({ kind: taken === null ? 'lost' : 'gained' }, 'the lease of the reader was gained or lost')
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
        logger.warn({ err: error }, 'the lease of the reader could not be released')
      })
    },
  }
}
