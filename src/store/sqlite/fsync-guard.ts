import type { AsyncTransactionSteps, TransactionSteps } from '../group-commit.ts'
import { StoreFailure } from '../store-errors.ts'
import type { Store } from '../store.ts'
import type { Move } from './checkpoint.ts'
import { toStoreFailure } from './sqlite-failure.ts'

export type FsyncGuard = {
  /** The guarded steps. `commit` resolves once the commit is on the disk. */
  readonly steps: AsyncTransactionSteps
  /**
   * Returns the sync of commits that are not on the disk yet: it resolves once they are, and rejects if they cannot be synced. Null if
   * everything that a query can read is on the disk.
   */
  readonly unsynced: () => Promise<void> | null
  /**
   * Starts a checkpoint if one is due, and resolves when writing may continue. Never rejects: commits stay durable, and any failure except
   * that of a sync is repaired by the next checkpoint.
   */
  readonly checkpoint: () => Promise<void>
  /** Throws the failure of the sync that failed, if there was one. */
  readonly assert: () => void
  readonly onFatal: Store['onFatal']
}

export type FsyncGuardOptions = {
  /** Steps on a connection that does not sync its commits. */
  readonly steps: TransactionSteps
  /** Syncs the write-ahead log with all commits before the call. */
  readonly syncLog: () => Promise<void>
  readonly checkpoint: () => Move | null
}

/**
 * Creates the guard. After a failed sync of a commit or a checkpoint, the content of the disk is unknown, and a repeated sync may report
 * success wrongly (https://www.postgresql.org/docs/current/wal-reliability.html): nothing more is written until the file is opened again.
 */
export function guardFsync({ steps, syncLog, checkpoint }: FsyncGuardOptions): FsyncGuard {
  const listeners = new Set<{ readonly call: (failure: StoreFailure) => void }>()
  let broken: StoreFailure | null = null
  let unsynced: Promise<void> | null = null
  const assert = (): void => {
    if (broken !== null) throw broken
  }
  const breakWith = (failure: StoreFailure): void => {
    broken = failure
    // In a microtask, so that the error of a listener interrupts nothing here and becomes an uncaught error.
    for (const { call } of listeners) queueMicrotask(() => call(failure))
    listeners.clear()
  }
  /** Returns the store failure for an error; a failed sync is fatal. */
  const judged = (error: unknown): unknown => {
    const failure = toStoreFailure(error)
    if (failure instanceof StoreFailure && failure.reason === 'SYNC') breakWith(failure)
    return failure
  }
  return {
    assert,
    unsynced: () => unsynced,
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
      async commit() {
        try {
          steps.commit()
          // In the same turn as the commit, before a query can read it. After a failed sync the rejected promise stays, because
          // queries may read commits that are lost.
          unsynced = syncLog()
          await unsynced
          unsynced = null
        } catch (error) {
          throw judged(error)
        }
      },
    },
    async checkpoint() {
      try {
        const move = checkpoint()
        const moved = move?.done.catch(judged)
        if (move?.isLast === true) await moved
      } catch (error) {
        judged(error)
      }
    },
  }
}
