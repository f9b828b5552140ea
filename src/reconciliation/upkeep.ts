import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { Store } from '../store/store.ts'

/** Periodic maintenance tasks. */
export type Upkeep = {
  /**
   * Runs the due tasks, as the timer does every 15 seconds; does nothing if this process is not the leader. Never rejects: a
   * failed task is retried at the next beat.
   */
  beat(): Promise<void>
  /** Stops; resolves when the current beat has ended. */
  close(): Promise<void>
}

export type UpkeepOptions = {
  readonly store: Pick<Store, 'heartbeat' | 'sweep' | 'commands'>
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this process is the leader of its cluster. */
  readonly isLeader: () => boolean
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
 * in the gap is read again. Ends expired leases of commands whose process has ended, and deletes commands that ended long ago.
 */
export function startUpkeep({ store, logger, clock, timer, isLeader, onSwept }: UpkeepOptions): Upkeep {
  let purgedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  let closed = false

  const catchUp = async (now: Date) => {
    const last = await store.heartbeat.last()
    const isGap = last !== null && now.getTime() - last.getTime() > GAP_MS
    // One transaction: if the process ends right after it, the next process continues the sweep.
    if (isGap) await store.sweep.begin(new Date(last.getTime() - RETRIES_MS), now)
    else await store.heartbeat.beat(now)
    if ((await store.sweep.pending()) !== null) await sweep()
  }

  const sweep = async () => {
    let count = 0
    let done = false
    while (!done && !closed && isLeader()) {
      const step = await store.sweep.step(clock())
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

  const beatOnce = async () => {
    try {
      const now = clock()
      await catchUp(now)
      await tidy(now)
    } catch (error) {
      logger.error({ err: error }, 'the upkeep failed; it is tried again')
    } finally {
      running = null
    }
  }

  const beat = async () => {
    if (isLeader()) await (running ??= beatOnce())
  }
  const beatLater = (): (() => void) =>
    timer.after(EVERY_MS, () => {
      cancel = beatLater()
      void beat()
    })
  let cancel = beatLater()
  return {
    beat,
    async close() {
      closed = true
      cancel()
      await running
    },
  }
}
