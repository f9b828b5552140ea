import { type PeriodicTask, restAsLong, startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { ErasureStore } from '../store/store.ts'

export type ErasuresOptions = {
  readonly store: ErasureStore
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this process is the leader of its cluster. */
  readonly isLeader: () => boolean
}

const EVERY_MS = 10_000

/**
 * Continues erasures of payers that other processes have begun, or that were running when a process ended; by the timer every ten seconds, if this
 * process is the leader. What failed is tried again.
 */
export function startErasures({ store, logger, clock, timer, isLeader }: ErasuresOptions): PeriodicTask {
  const finish = async (number: number, mayGoOn: () => boolean) => {
    while (mayGoOn()) {
      const startedAt = timer.now()
      const erasure = await store.step(number, clock())
      if (erasure === null) return
      if (erasure.doneAt !== null) {
        logger.info({ kind: erasure.kind, count: erasure.payers }, 'payers are erased')
        return
      }
      await restAsLong(timer, startedAt)
    }
  }

  const work = async (mayGoOn: () => boolean) => {
    try {
      for (const number of await store.running()) await finish(number, mayGoOn)
    } catch (error) {
      logger.error({ err: error }, 'payers could not be erased; it is tried again')
    }
  }
  return startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: isLeader, work })
}
