import type { DatabaseSync } from 'node:sqlite'

/** Pages that the write-ahead log may hold before they are moved into the database; SQLite's own measure. */
const MAX_PAGES = 1000

/**
 * Moves what an earlier process has left in the write-ahead log into the database, and begins a new log. That process may
 * have ended since a sync failed: what it wrote last can be read back, and may still not be on the disk, and nothing
 * that is written behind it would be safe. Throws when the disk fails again.
 */
export function beginNewLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Takes the checkpoints out of SQLite's hands, and gives the step that makes one when the write-ahead log has grown.
 * SQLite makes its own after a commit and tells nobody when a sync fails; at the next one the operating system may report
 * success for pages that it has dropped (https://www.postgresql.org/docs/current/wal-reliability.html), and the
 * write-ahead log, which still had them, is written over. The step throws instead.
 */
export function createCheckpoint(database: DatabaseSync): () => void {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  const move = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  return () => {
    const { log, checkpointed } = measure.get() ?? {}
    if (Number(log) - Number(checkpointed) >= MAX_PAGES) move.get()
  }
}
