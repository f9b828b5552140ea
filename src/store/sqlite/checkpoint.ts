import type { DatabaseSync } from 'node:sqlite'

/**
 * Pages that the write-ahead log may hold before they are moved into the database: 16 MB. A page that is written again and
 * again meanwhile is moved once, so more would be faster, and would take longer to read at the next start.
 */
const MAX_PAGES = 4000
/** Writers wait while so many are moved; more are moved first, while others write, in so many rounds at most. */
const FEW_PAGES = 500
const MOST_ROUNDS = 3

/** A move of pages that has begun. */
export type Move = {
  readonly done: Promise<unknown>
  /** Whether nothing may be written before it is done. */
  readonly isLast: boolean
}

/**
 * Moves what an earlier process has left in the write-ahead log into the database, and begins a new log. That process may
 * have ended since a sync failed: what it wrote last can be read back, and may still not be on the disk, and nothing
 * that is written behind it would be safe. Throws when the disk fails again.
 */
export function beginNewLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Takes the checkpoints out of SQLite's hands, and gives the step that makes one when the write-ahead log has grown, or null
 * when there is nothing to do. `moveBeside` moves pages on a thread, most of them while others write; the log begins anew only
 * when nothing is left in it, so the last few are moved between two transactions.
 *
 * SQLite makes its own checkpoint after a commit and tells nobody when a sync fails; at the next one the operating system may
 * report success for pages that it has dropped (https://www.postgresql.org/docs/current/wal-reliability.html), and the write-ahead
 * log, which still had them, is written over. The step throws instead, or what it has begun rejects.
 */
export function createCheckpoint(
  database: DatabaseSync,
  moveBeside: (() => Promise<unknown>) | null,
): () => Move | null {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  const move = database.prepare(MOVE_PAGES)
  let isMoving = false
  /** Of this checkpoint; 0 while none has begun. */
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

/** Moves committed pages into the database, as far as no reader needs them where they are. */
export const MOVE_PAGES = 'PRAGMA wal_checkpoint(PASSIVE)'
