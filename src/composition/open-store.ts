import { createLedger } from '../ledger/ledger.ts'
import type { Logger } from '../observability/logger.ts'
import type { MigrationListener } from '../store/migrate.ts'
import type { Database } from '../store/port.ts'
import { openSqlite } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import type { AppConfig } from './app-config.ts'

const DAY_MS = 24 * 3_600_000

/** Opens the store on the configured database. Throws `StoreUnusableError` if the database cannot be used. */
export async function openStore(config: AppConfig, clock: () => Date, logger: Logger): Promise<Store> {
  const database = await openDatabase(config, clock, logger)
  const { refundWindowDays, findsDuplicates } = config
  return createLedger(database, { refundWindowMs: refundWindowDays * DAY_MS, findsDuplicates })
}

async function openDatabase({ database, ...config }: AppConfig, clock: () => Date, logger: Logger): Promise<Database> {
  const listener: MigrationListener = {
    onMigration: (version) => logger.info({ version }, 'the database is brought up to date: this may take minutes'),
    onLaterMigrations: (versions) =>
      logger.info({ versions }, 'a later version has changed the database, and this version works with it'),
    onMigrationWait: () =>
      logger.info({}, 'the database is brought up to date: waiting for another node or transaction'),
  }
  if (database.kind === 'sqlite') {
    const onWait = () => logger.info({}, 'the database is in use by a process that is ending: waiting for it')
    return openSqlite({ path: database.path, cacheRows: config.executionShortcuts, onWait, clock, ...listener })
  }
  const { openPostgres } = await import('../store/postgres/postgres.ts')
  return openPostgres({ url: database.url.reveal(), clock, ...listener })
}
