import type { DatabaseSync } from 'node:sqlite'

/**
 * Pages of the write-ahead log that start a checkpoint: 16 MB. A page that was written several times is moved once, so a larger log
 * would be faster, but would take longer to read at the next start.
 */
const MAX_PAGES = 4000
/** Up to this many pages are moved while writers wait. More are moved concurrently with writers before, in at most this many rounds. */
const FEW_PAGES = 500
const MOST_ROUNDS = 3

/** A move of pages in progress. */
export type Move = {
  readonly done: Promise<unknown>
  /** Whether writers must wait until it is done. */
  readonly isLast: boolean
}

/**
 * Moves the write-ahead log of an earlier process into the database, and begins a new log. That process may have ended because a sync
 * failed: then its last writes can be read, but may not be on the disk, and nothing that is appended to them would be durable. Throws if
 * the disk fails again.
 */
export function beginNewLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Disables SQLite's own checkpoints, and returns the function that makes them: it starts a move of pages if the write-ahead log has grown,
 * and otherwise returns null. `moveBeside` moves pages on a thread, most of them concurrently with writers. The log restarts only when
 * all of it was moved, so the last few pages are moved between two transactions. If `moveBeside` is null, all are moved at once.
 *
 * SQLite's own checkpoint after a commit does not report a failed sync. At the next one the operating system may report success for pages
 * that it has dropped (https://www.postgresql.org/docs/current/wal-reliability.html), and the write-ahead log, which still contained them,
 * is overwritten. Here the function throws, or the promise of its move rejects.
 */
export function createCheckpoint(
  database: DatabaseSync,
  moveBeside: (() => Promise<unknown>) | null,
): () => Move | null {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  const move = database.prepare(MOVE_PAGES)
  let isMoving = false
  /** Rounds of the current checkpoint; 0 if none has begun. */
  let rounds = 0
  return () => {
    if (isMoving) return null
    const { log, checkpointed } = measure.get() ?? {}
    const pages = Number(log) - Number(checkpointed)
    if (rounds === 0 && pages < MAX_PAGES) return null
    if (moveBeside === null) {
      move.get()
      return null
    }
    const isLast = (rounds > 0 && pages <= FEW_PAGES) || rounds === MOST_ROUNDS
    isMoving = true
    rounds = isLast ? 0 : rounds + 1
    return { done: moveBeside().finally(() => (isMoving = false)), isLast }
  }
}

/** Moves committed pages into the database, except those that a reader still needs in the log. */
export const MOVE_PAGES = 'PRAGMA wal_checkpoint(PASSIVE)'
