import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { ErasureStore } from '../store/store.ts'

/** Continues erasures of payers that are not done. */
export type Erasures = {
  /**
   * Continues them to their end, as the timer does every ten seconds; does nothing if this process is not the leader. Never rejects: what
   * failed is tried again.
   */
  run(): Promise<void>
  /** Stops after the current transaction; resolves when it has ended. */
  close(): Promise<void>
}

export type ErasuresOptions = {
  readonly store: ErasureStore
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this process is the leader of its cluster. */
  readonly isLeader: () => boolean
}

const EVERY_MS = 10_000
/** Milliseconds between two transactions, at least: as long as the last one took, so that other writes have half of the time. */
const LEAST_REST_MS = 5

/** Continues erasures that other processes have begun, or that were running when a process ended. */
export function startErasures({ store, logger, clock, timer, isLeader }: ErasuresOptions): Erasures {
  let running: Promise<void> | null = null
  let closed = false
  const mayGoOn = () => !closed && isLeader()

  const finish = async (number: number) => {
    while (mayGoOn()) {
      const startedAt = timer.now()
      const erasure = await store.step(number, clock())
      if (erasure === null) return
      if (erasure.doneAt !== null) {
        logger.info({ kind: erasure.kind, count: erasure.payers }, 'payers are erased')
        return
      }
      await rest(timer, Math.max(timer.now() - startedAt, LEAST_REST_MS))
    }
  }

  const runOnce = async () => {
    try {
      for (const number of await store.running()) await finish(number)
    } catch (error) {
      logger.error({ err: error }, 'payers could not be erased; it is tried again')
    } finally {
      running = null
    }
  }

  const run = async () => {
    if (mayGoOn()) await (running ??= runOnce())
  }
  const runLater = (): (() => void) =>
    timer.after(EVERY_MS, () => {
      cancel = runLater()
      void run()
    })
  let cancel = runLater()
  return {
    run,
    async close() {
      closed = true
      cancel()
      await running
    },
  }
}

function rest(timer: Timer, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void timer.after(milliseconds, resolve))
}
