import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { StoreFailure } from '../store-errors.ts'

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
