import type { DatabaseSync } from 'node:sqlite'
import type { TransactionSteps } from '../group-commit.ts'
import { type AppliedMigration, migrate, type MigrationListener, type MigrationTarget } from '../migrate.ts'
import { readMigrations } from '../migration-files.ts'
import { StoreUnusableError } from '../store-errors.ts'
import { beginNewLog } from './checkpoint.ts'

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

const MIGRATIONS = new URL('../migrations/sqlite/', import.meta.url)

/**
 * Opens the connection that writes, applies the missing migrations, and checks after a first write that commits are durable. From then on
 * its commits are written to the write-ahead log and not synced: the caller has to do that. Checkpoints, and the start of a new log,
 * are still synced by SQLite (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export async function openWriter(
  path: string,
  { connect, now, listener }: { connect: Connect; now: Date; listener: MigrationListener },
): Promise<DatabaseSync> {
  const database = openConnection(path, connect)
  try {
    database.exec(`PRAGMA cache_size = -${WRITER_CACHE_KB}`)
    beginNewLog(database)
    await migrate(migrationTarget(database, now), readMigrations(MIGRATIONS), listener)
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
  const columns = () =>
    new Set(
      database
        .prepare('PRAGMA table_info(migrations)')
        .all()
        .map(({ name }) => String(name)),
    )
  return {
    async applied() {
      const names = columns()
      if (names.size === 0) return []
      const marks = names.has('compatibility') ? 'compatibility, steps' : 'NULL AS compatibility, NULL AS steps'
      return database.prepare(`SELECT number, ${marks} FROM migrations`).all() as AppliedMigration[]
    },
    async apply({ number, name, compatibility, steps }) {
      transaction.begin()
      try {
        database.exec(TABLE)
        for (const column of COLUMNS.filter((each) => !columns().has(each.split(' ')[0] ?? '')))
          database.exec(`ALTER TABLE migrations ADD COLUMN ${column}`)
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

const TABLE =
  'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;'
/** Columns that an earlier version's table does not have. */
const COLUMNS = ['compatibility TEXT', 'steps INTEGER']
