import type { Logger } from '../log.ts'
import type { Store } from '../store/store.ts'
import { sweep } from './sweep.ts'
import type { Timer } from './timer.ts'

/** What has to be done again and again, for as long as the process runs. */
export type Upkeep = {
  /**
   * Does what is due now, as the timer does every 15 seconds; nothing in a process that is not the leader. Never rejects:
   * what fails is done the next time.
   */
  beat(): Promise<void>
  /** Stops, when the beat that is under way has ended. */
  close(): Promise<void>
}

export type UpkeepOptions = {
  readonly store: Pick<Store, 'heartbeat' | 'reads' | 'agreementReads' | 'commands'>
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this is the one process of its cluster that does it. */
  readonly isLeader: () => boolean
  /** Called when a sweep has planned reads. */
  readonly onSwept: () => void
}

const EVERY_MS = 15_000
/** After a longer silence webhooks may have been given up on: the service tries for 45 minutes (interface document, section 6.1). */
const GAP_MS = 5 * 60_000
const DAY_MS = 24 * 3_600_000
/** How long an idempotency key stays taken. */
const KEEP_COMMANDS_MS = 30 * DAY_MS

/**
 * Leaves a sign of life, and tells by the last one whether nobody was here for a while: then everything that is not final
 * is read back. Ends the leases of commands whose process has gone, and forgets those that ended long ago.
 */
export function startUpkeep({ store, logger, clock, timer, isLeader, onSwept }: UpkeepOptions): Upkeep {
  let purgedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  const catchUp = async (now: Date) => {
    const last = await store.heartbeat.last()
    if (last === null || now.getTime() - last.getTime() <= GAP_MS) return store.heartbeat.beat(now)
    const count = (await sweep(store.reads, now)) + (await store.agreementReads.scheduleAll(now))
    // Not before: a process that dies in the middle leaves the silence to the next one.
    await store.heartbeat.beat(now)
    logger.info({ count }, 'nobody was here for a while: everything that is not final is read back')
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
      cancel()
      await running
    },
  }
}
