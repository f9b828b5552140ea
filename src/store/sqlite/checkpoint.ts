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
  database.exec(CLEAR_LOG)
}

export type Checkpoint = {
  /** Starts a move of pages if the write-ahead log has grown or is to be cleared; otherwise returns null. */
  next(): Move | null
  /** Has the log cleared by the next checkpoint: what it contains is then nowhere but in the pages of the database. */
  clearLog(): void
}

/**
 * Disables SQLite's own checkpoints, and makes them itself. `moveBeside` runs a pragma on a thread; most pages are moved concurrently with
 * writers. The log restarts only when all of it was moved, so the last few pages are moved between two transactions. If `moveBeside` is
 * null, all are moved at once.
 *
 * SQLite's own checkpoint after a commit does not report a failed sync. At the next one the operating system may report success for pages
 * that it has dropped (https://www.postgresql.org/docs/current/wal-reliability.html), and the write-ahead log, which still contained them,
 * is overwritten. Here `next` throws, or the promise of its move rejects.
 */
export function createCheckpoint(
  database: DatabaseSync,
  moveBeside: ((pragma: string) => Promise<readonly unknown[]>) | null,
): Checkpoint {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  const move = database.prepare(MOVE_PAGES)
  let isMoving = false
  let isToBeCleared = false
  /** Rounds of the current checkpoint; 0 if none has begun. */
  let rounds = 0
  const noteCleared = (result: unknown) => {
    // A reader that still needs the log keeps it from being cleared: then the next checkpoint tries again.
    if ((result as { readonly busy?: unknown } | undefined)?.busy === 0) isToBeCleared = false
  }
  const next = (): Move | null => {
    if (isMoving) return null
    const { log, checkpointed } = measure.get() ?? {}
    const pages = Number(log) - Number(checkpointed)
    if (rounds === 0 && pages < MAX_PAGES && !isToBeCleared) return null
    if (moveBeside === null) {
      if (isToBeCleared) noteCleared(database.prepare(CLEAR_LOG).get())
      else move.get()
      return null
    }
    const isLast = ((rounds > 0 || isToBeCleared) && pages <= FEW_PAGES) || rounds === MOST_ROUNDS
    isMoving = true
    rounds = isLast ? 0 : rounds + 1
    const isClearing = isLast && isToBeCleared
    const done = moveBeside(isClearing ? CLEAR_LOG : MOVE_PAGES)
      .then(([result]) => isClearing && noteCleared(result))
      .finally(() => (isMoving = false))
    return { done, isLast }
  }
  return {
    next,
    clearLog() {
      isToBeCleared = true
    },
  }
}

/** Moves committed pages into the database, except those that a reader still needs in the log. */
const MOVE_PAGES = 'PRAGMA wal_checkpoint(PASSIVE)'
/** The same, and cuts the log to no bytes. Waits for readers that still need it, as long as its connection waits for a lock. */
const CLEAR_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)'
