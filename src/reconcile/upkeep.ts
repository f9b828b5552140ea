import type { Logger } from '../log.ts'
import type { Store } from '../store/store.ts'
import { sweep } from './sweep.ts'

/** What has to be done again and again, for as long as the process runs. */
export type Upkeep = {
  /** Does what is due now, as the timer does every 15 seconds. Never rejects: what fails is done the next time. */
  beat(): Promise<void>
  /** Stops, when the beat that is under way has ended. */
  close(): Promise<void>
}

export type UpkeepOptions = {
  readonly store: Pick<Store, 'heartbeat' | 'reads' | 'commands'>
  readonly logger: Logger
  readonly clock: () => Date
  /** Called when a sweep has planned reads. */
  readonly onSwept: () => void
  /** Milliseconds between two beats. */
  readonly everyMs?: number
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
export function startUpkeep({ store, logger, clock, onSwept, everyMs = EVERY_MS }: UpkeepOptions): Upkeep {
  let purgedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  const catchUp = async (now: Date) => {
    const last = await store.heartbeat.last()
    await store.heartbeat.beat(now)
    if (last === null || now.getTime() - last.getTime() <= GAP_MS) return
    const count = await sweep(store.reads, now)
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

  const beat = () => (running ??= beatOnce())
  const timer = setInterval(() => void beat(), everyMs)
  timer.unref()
  return {
    beat,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
