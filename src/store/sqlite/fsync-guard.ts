import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { AsyncTransactionSteps, TransactionSteps } from '../group-commit.ts'
import type { Database } from '../port.ts'
import { StoreFailure } from '../store-errors.ts'
import { type Move, toStoreFailure } from './sqlite-connection.ts'

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
  readonly onFatal: Database['onFatal']
}

type FsyncGuardOptions = {
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

export type LogSync = {
  /**
   * Syncs everything written to the write-ahead log before the call, on a thread of Node.js's pool. Rejects with `StoreFailure`, SYNC.
   */
  sync(): Promise<void>
  close(): void
}

/**
 * Opens the write-ahead log of an open database, so that it can be synced without blocking the event loop. SQLite removes that file only
 * when the last connection is closed, and holds no locks on it that closing it here could release
 * (https://www.sqlite.org/howtocorrupt.html, section 2.2). It stays open, because the operating system reports a failed write once to
 * each open file.
 */
export function openLogSync(path: string): LogSync {
  const file = openSync(`${path}-wal`, 'r+')
  let isOpen = true
  return {
    async sync() {
      try {
        await syncData(file)
      } catch (error) {
        throw new StoreFailure('SYNC', error)
      }
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** The same sync as SQLite's: the data, and the metadata that is needed to read it, such as the file's size. */
const syncData = promisify(fdatasync)
