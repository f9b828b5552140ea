import type { DatabaseSync } from 'node:sqlite'
import type { TransactionSteps } from '../group-commit.ts'
import { type Migration, type MigrationTarget, migrate, type OnMigration, readMigrations } from '../migrate.ts'
import { StoreUnusableError } from '../store-errors.ts'
import { beginNewLog } from './checkpoint.ts'

/** Opens a connection; tests give one that they can watch. */
export type Connect = (path: string) => DatabaseSync

/** Milliseconds that a statement waits for a lock, such as that of a backup which runs beside us. */
const BUSY_TIMEOUT_MS = 2000

/**
 * Pages that the writer keeps in memory. Webhooks come with ids in no order, so that each touches other pages of the indexes, and what
 * is not in memory is read again.
 */
const WRITER_CACHE_KB = 64 * 1024

/** `PRAGMA synchronous` reads back as a number. */
const NORMAL = 1
const FULL = 2

const MIGRATIONS = new URL('../migrations/sqlite/', import.meta.url)

/**
 * The connection that writes, with its tables up to date, proved to be durable by a first write. From then on its commits are
 * written to the write-ahead log and not synced: that is left to the caller. Checkpoints, and the beginning of a new log,
 * are still synced by SQLite (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export async function openWriter(
  path: string,
  { connect, now, onMigration }: { connect: Connect; now: Date; onMigration?: OnMigration | undefined },
): Promise<DatabaseSync> {
  const database = openConnection(path, connect)
  try {
    database.exec(`PRAGMA cache_size = -${WRITER_CACHE_KB}`)
    beginNewLog(database)
    await migrate(migrationTarget(database, now), readMigrations(MIGRATIONS), onMigration)
    database.prepare('UPDATE meta SET opened_at = ?').run(now.getTime())
    // The file is this process's alone: whoever held a lease is gone, and nobody need wait for its end.
    database.exec('DELETE FROM leases')
    assertSynchronous(database, FULL)
    database.exec('PRAGMA synchronous = NORMAL')
    assertSynchronous(database, NORMAL)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** A connection that reads beside the writer: in WAL mode neither waits for the other. */
export function openReader(path: string, connect: Connect): DatabaseSync {
  const database = openConnection(path, connect)
  database.exec('PRAGMA query_only = ON')
  return database
}

/**
 * Throws `StoreUnusableError` unless a connection syncs as it was told to. Asked after a write, since a connection may report
 * one setting before its first write and follow another one afterwards.
 */
function assertSynchronous(database: DatabaseSync, expected: number): void {
  const synchronous = pragma(database, 'synchronous')
  const journal = pragma(database, 'journal_mode')
  if (synchronous === expected && journal === 'wal') return
  throw new StoreUnusableError(
    `The database that DATABASE_URL names is not durable: synchronous is ${String(synchronous)}, the journal ${String(journal)}.`,
  )
}

/** The steps of a transaction on a connection. */
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
  return database
}

function pragma(database: DatabaseSync, name: 'synchronous' | 'journal_mode'): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name]
}

function migrationTarget(database: DatabaseSync, now: Date): MigrationTarget {
  const steps = transactionSteps(database)
  return {
    async prepare() {
      database.exec(
        'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
      )
    },
    async applied() {
      return database
        .prepare('SELECT number FROM migrations')
        .all()
        .map(({ number }) => Number(number))
    },
    async apply({ number, name, sql }: Migration) {
      steps.begin()
      try {
        database.exec(sql)
        database
          .prepare('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)')
          .run(number, name, now.getTime())
        steps.commit()
      } catch (error) {
        steps.rollback()
        throw error
      }
    },
  }
}
