import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { StoreFailure } from '../store-errors.ts'

export type LogSync = {
  /**
   * Syncs what was written to the write-ahead log before the call, on a thread of Node's pool. Rejects with `StoreFailure`, SYNC.
   */
  sync(): Promise<void>
  close(): void
}

/**
 * Opens the write-ahead log of a database that is open, so that it can be synced without holding up the event loop. SQLite
 * removes that file only when the last connection is closed, and holds no locks on it that closing it here could free
 * (https://www.sqlite.org/howtocorrupt.html, section 2.2). It stays open, since the operating system tells each open file of
 * a failed write once.
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

/** As SQLite syncs it: the data, and what of the file's size is needed to read them back. */
const syncData = promisify(fdatasync)
