import type { AppConfig } from '../config.ts'
import type { Logger } from '../observability/logger.ts'
import type { CommitObserver } from './group-commit.ts'
import type { MigrationListener } from './migrate.ts'
import type { Database } from './port.ts'
import { openSqlite } from './sqlite/sqlite.ts'

type OpenOptions = { readonly clock: () => Date; readonly logger: Logger; readonly observer: CommitObserver }

/** Opens the configured database. Throws `StoreUnusableError` if it cannot be used. */
export async function openDatabase(
  { database, shortcuts }: Pick<AppConfig, 'database' | 'shortcuts'>,
  { clock, logger, observer }: OpenOptions,
): Promise<Database> {
  const listener: MigrationListener = {
    onMigration: (version) => logger.info({ version }, 'migrating the database: this may take minutes'),
    onLaterMigrations: (versions) =>
      logger.info({ versions }, 'the database was migrated by a later version and is compatible with this one'),
    onMigrationWait: () => logger.info({}, 'migrating the database: waiting for another node or transaction'),
  }
  if (database.kind === 'sqlite') {
    const onWait = () => logger.info({}, 'the database is in use by a process that is ending: waiting for it')
    return openSqlite({
      path: database.path,
      cacheRows: shortcuts.includes('recentRows'),
      onWait,
      clock,
      observer,
      ...listener,
    })
  }
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres({ url: database.url.reveal(), clock, observer, ...listener })
}
