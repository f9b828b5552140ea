import { type PeriodicTask, startPeriodicTask } from '../lib/periodic-task.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { Lease, Store } from '../store/store.ts'
import type { HeldLease } from './leader.ts'

export type UpkeepOptions = {
  readonly store: Pick<Store, 'heartbeat' | 'sweep' | 'commands' | 'now'>
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** The process with this lease does the tasks. */
  readonly leader: HeldLease
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
 * Writes a heartbeat, and detects from the previous one whether no process ran for a while: then everything that may have changed
 * in the gap is read again. The heartbeat is an instant of the database's clock, and is written and judged under the lease. So the clock of
 * a process has no part in it, and a process that was paused can neither write an old heartbeat over a new one nor sweep a second time. Ends
 * expired leases of commands whose process has ended, and deletes commands that ended long ago. All of this by the timer every 15 seconds; a
 * task that failed is tried again.
 */
export function startUpkeep({ store, logger, clock, timer, leader, onSwept }: UpkeepOptions): PeriodicTask {
  let purgedAt = Number.NEGATIVE_INFINITY

  const catchUp = async (now: Date, lease: Lease, mayGoOn: () => boolean) => {
    const last = await store.heartbeat.last()
    // One transaction: if the process ends right after it, the next process continues the sweep.
    if (last !== null && isGap(last, now)) await store.sweep.begin(sweptFrom(last, now), now, lease)
    else await store.heartbeat.beat(now, lease)
    if ((await store.sweep.pending()) !== null) await sweep(now, lease, mayGoOn)
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
    logger.info({ count }, 'no process ran for a while: what may have changed is read back')
    onSwept()
  }

  const tidy = async (now: Date) => {
    const unknown = await store.commands.expireLeases(now.getTime())
    if (unknown > 0)
      logger.warn({ count: unknown }, 'commands without an answer, and without a process that waits for it')
    if (now.getTime() - purgedAt < DAY_MS) return
    purgedAt = now.getTime()
    await store.commands.purge(new Date(now.getTime() - KEEP_COMMANDS_MS))
  }

  const work = async (mayGoOn: () => boolean) => {
    const lease = leader.lease()
    if (lease === null) return
    try {
      const now = await store.now()
      await catchUp(now, lease, mayGoOn)
      await tidy(now)
    } catch (error) {
      if (error instanceof LeaseLostError) leader.lost(lease)
      else logger.error({ err: error }, 'the upkeep failed; it is tried again')
    }
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
