import { StoreFailure } from '../errors.ts'
import type { TransactionSteps } from '../group-commit.ts'
import type { Store } from '../store.ts'
import { toStoreFailure } from './failure.ts'

export type FsyncGuard = {
  /** The same steps, under watch. */
  readonly steps: TransactionSteps
  /**
   * Runs what moves committed pages to where they belong. Never rejects: what was committed stays so, and any failure but
   * that of a sync is mended by the next try.
   */
  readonly checkpoint: () => Promise<void>
  /** Throws the failure of what could not be synced, if there was one. */
  readonly assert: () => void
  readonly onFatal: Store['onFatal']
}

/**
 * After a commit or a checkpoint that could not be synced nobody knows what the disk holds, and asking again may report success without
 * any (https://www.postgresql.org/docs/current/wal-reliability.html): nothing more is written until the file is opened anew.
 */
export function guardFsync(steps: TransactionSteps, checkpoint: () => Promise<void>): FsyncGuard {
  const listeners = new Set<{ readonly call: (failure: StoreFailure) => void }>()
  let broken: StoreFailure | null = null
  const assert = (): void => {
    if (broken !== null) throw broken
  }
  const breakWith = (failure: StoreFailure): void => {
    broken = failure
    // A turn later, so that a listener that throws undoes nothing and ends up as an uncaught error.
    for (const { call } of listeners) queueMicrotask(() => call(failure))
    listeners.clear()
  }
  /** Gives the failure that the error stands for. */
  const judged = (error: unknown): unknown => {
    const failure = toStoreFailure(error)
    if (failure instanceof StoreFailure && failure.reason === 'SYNC') breakWith(failure)
    return failure
  }
  return {
    assert,
    onFatal(listener) {
      const entry = { call: listener }
      const failure = broken
      if (failure !== null) queueMicrotask(() => listener(failure))
      else listeners.add(entry)
      return () => {
        listeners.delete(entry)
      }
    },
    steps: {
      ...steps,
      begin() {
        assert()
        steps.begin()
      },
      commit() {
        try {
          steps.commit()
        } catch (error) {
          throw judged(error)
        }
      },
    },
    async checkpoint() {
      try {
        await checkpoint()
      } catch (error) {
        judged(error)
      }
    },
  }
}
