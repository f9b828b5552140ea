import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { TransactionSteps } from '../group-commit.ts'
import {
  type AppliedMigration,
  migrate,
  type Migration,
  type MigrationListener,
  type MigrationTarget,
  readMigrations,
} from '../migrate.ts'
import { StoreUnusableError, type FailureReason, StoreClosedError, StoreFailure } from '../store-errors.ts'

/** Opens a connection; tests pass a function that returns an instrumented one. */
export type Connect = (path: string) => DatabaseSync

/** Milliseconds that a statement waits for a lock, such as that of a concurrent backup. */
const BUSY_TIMEOUT_MS = 2000

/**
 * Page cache of the writer, in KiB. The ids of webhooks have no order, so that each webhook uses other pages of the indexes, and pages that
 * are not cached are read again.
 */
const WRITER_CACHE_KB = 64 * 1024

/** Values that `PRAGMA synchronous` returns. */
const NORMAL = 1
const FULL = 2

export type SqliteMigrationOptions = MigrationListener & {
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the connection that writes, applies the missing migrations, and checks after a first write that commits are durable. From then on
 * its commits are written to the write-ahead log and not synced: the caller has to do that. Checkpoints, and the start of a new log,
 * are still synced by SQLite (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export async function openWriter(
  path: string,
  { connect, now, options }: { connect: Connect; now: Date; options: SqliteMigrationOptions },
): Promise<DatabaseSync> {
  const database = openConnection(path, connect)
  try {
    database.exec(`PRAGMA cache_size = -${WRITER_CACHE_KB}`)
    beginNewLog(database)
    await migrate(migrationTarget(database, now), options.migrations ?? readMigrations('sqlite'), options)
    database.prepare('UPDATE meta SET opened_at = ?').run(now.getTime())
    // Only this process has the file open: the owner of any lease has ended, so no lease has to expire first.
    database.exec('UPDATE leases SET until = 0')
    assertSynchronous(database, FULL)
    database.exec('PRAGMA synchronous = NORMAL')
    assertSynchronous(database, NORMAL)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a connection that reads concurrently with the writer: in WAL mode neither waits for the other. */
export function openReader(path: string, connect: Connect): DatabaseSync {
  const database = openConnection(path, connect)
  database.exec('PRAGMA query_only = ON')
  return database
}

/**
 * Throws `StoreUnusableError` unless a connection has the expected sync setting in WAL mode. Called after a write, because a connection may
 * report one setting before its first write and use another one afterwards.
 */
function assertSynchronous(database: DatabaseSync, expected: number): void {
  const synchronous = pragma(database, 'synchronous')
  const journal = pragma(database, 'journal_mode')
  if (synchronous === expected && journal === 'wal') return
  throw new StoreUnusableError(
    `The database that DATABASE_URL names is not durable: synchronous is ${String(synchronous)}, the journal ${String(journal)}.`,
  )
}

/** Returns the steps of a transaction on a connection. */
export function transactionSteps(database: DatabaseSync): TransactionSteps {
  return {
    begin: () => database.exec('BEGIN IMMEDIATE'),
    commit: () => database.exec('COMMIT'),
    rollback: () => {
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
    },
  }
}

function openConnection(path: string, connect: Connect): DatabaseSync {
  const database = connect(path)
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  // What is deleted or replaced is overwritten with zeros, so that an erased payer is in no free part of a page.
  database.exec('PRAGMA secure_delete = ON')
  return database
}

function pragma(database: DatabaseSync, name: 'synchronous' | 'journal_mode'): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name]
}

function migrationTarget(database: DatabaseSync, now: Date): MigrationTarget {
  const transaction = transactionSteps(database)
  return {
    async applied() {
      if (database.prepare('PRAGMA table_info(migrations)').get() === undefined) return []
      return database.prepare('SELECT number, compatibility, steps FROM migrations').all() as AppliedMigration[]
    },
    async apply({ number, name, compatibility, steps }) {
      transaction.begin()
      try {
        database.exec(TABLE)
        for (const { sql } of steps) database.exec(sql)
        database
          .prepare('INSERT INTO migrations (number, name, applied_at, compatibility, steps) VALUES (?, ?, ?, ?, ?)')
          .run(number, name, now.getTime(), compatibility, steps.length)
        transaction.commit()
      } catch (error) {
        transaction.rollback()
        throw error
      }
    },
  }
}

const TABLE = `CREATE TABLE IF NOT EXISTS migrations
  (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL, compatibility TEXT NOT NULL, steps INTEGER NOT NULL) STRICT;`

/** Maximum number of prepared statements per connection: more than the fixed queries; limits those for lists of different lengths. */
const MAX_PREPARED = 256

/** Returns a function that caches prepared statements by text, and evicts the least recently used. */
export function cachedStatements<Statement extends object>(
  prepare: (sql: string) => Statement,
): (sql: string) => Statement {
  const kept = new LRUCache<string, Statement>({ max: MAX_PREPARED, memoMethod: prepare })
  return (sql) => kept.memo(sql)
}

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
function beginNewLog(database: DatabaseSync): void {
  database.exec(CLEAR_LOG)
}

type Checkpoint = {
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

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte of an extended code. */
const REASONS: Readonly<Record<number, readonly [reason: FailureReason, name: string]>> = {
  5: ['BUSY', 'SQLITE_BUSY'],
  6: ['BUSY', 'SQLITE_LOCKED'],
  10: ['IO', 'SQLITE_IOERR'],
  11: ['CORRUPT', 'SQLITE_CORRUPT'],
  13: ['FULL', 'SQLITE_FULL'],
  14: ['IO', 'SQLITE_CANTOPEN'],
  26: ['CORRUPT', 'SQLITE_NOTADB'],
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const SYNC_CODES: ReadonlySet<number> = new Set([1034, 1290])

/**
 * Converts an error of SQLite to a `StoreFailure`, and the use of a closed connection to `StoreClosedError`. Returns any other error
 * unchanged.
 */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === CLOSED) return new StoreClosedError()
  if (!isSqliteError(error)) return error
  if (SYNC_CODES.has(error.errcode)) return new StoreFailure('SYNC', error, 'SQLITE_IOERR_FSYNC')
  const [reason, name] = REASONS[error.errcode & 0xff] ?? ['OTHER', `SQLITE_${error.errcode}`]
  return new StoreFailure(reason, error, name)
}

/** Code of Node.js for a statement on a closed connection. */
const CLOSED = 'ERR_INVALID_STATE'

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}
