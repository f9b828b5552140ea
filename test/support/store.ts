import { createLedger, type LedgerOptions } from '../../src/ledger/ledger.ts'
import type { Store } from '../../src/ledger/store.ts'
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/postgres.ts'
import { openSqlite, type SqliteOptions } from '../../src/store/sqlite/sqlite.ts'

export type SqliteStoreOptions = SqliteOptions & LedgerOptions
export type PostgresStoreOptions = PostgresOptions & LedgerOptions

/** Opens a ledger on a SQLite file. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return createLedger(await openSqlite(options), options)
}

/** Opens a ledger on a PostgreSQL server. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return createLedger(await openPostgres(options), options)
}
