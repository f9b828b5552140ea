import type { AsyncTransactionSteps, TransactionSteps } from '../group-commit.ts'
import { StoreFailure } from '../store-errors.ts'
import type { Store } from '../store.ts'
import type { Move } from './checkpoint.ts'
import { toStoreFailure } from './sqlite-failure.ts'

export type FsyncGuard = {
  /** The same steps, under watch. `commit` resolves once the commit is on the disk. */
  readonly steps: AsyncTransactionSteps
  /**
   * What was committed and is not on the disk yet: resolves once it is, and rejects when it cannot be synced. Null when
   * everything that a query can read is on the disk.
   */
  readonly unsynced: () => Promise<void> | null
  /**
   * Begins to move committed pages to where they belong, where that is due, and resolves when something may be written again.
   * Never rejects: what was committed stays so, and any failure but that of a sync is mended by the next try.
   */
  readonly checkpoint: () => Promise<void>
  /** Throws the failure of what could not be synced, if there was one. */
  readonly assert: () => void
  readonly onFatal: Store['onFatal']
}

export type FsyncGuardOptions = {
  /** On a connection whose commits are not synced. */
  readonly steps: TransactionSteps
  /** Syncs the write-ahead log: all that was committed before the call. */
  readonly syncLog: () => Promise<void>
  readonly checkpoint: () => Move | null
}

/**
 * After a commit or a checkpoint that could not be synced nobody knows what the disk holds, and asking again may report success without
 * any (https://www.postgresql.org/docs/current/wal-reliability.html): nothing more is written until the file is opened anew.
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
    // A turn later, so that a listener that throws undoes nothing and ends up as an uncaught error.
    for (const { call } of listeners) queueMicrotask(() => call(failure))
    listeners.clear()
  }
  /** Returns the store failure for an error. */
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
          // In the same turn as the commit, before a query can read it. After a failed sync the rejected promise stays, since
          // queries may read what is lost.
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
