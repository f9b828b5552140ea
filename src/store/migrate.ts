import { readdirSync, readFileSync } from 'node:fs'
import { StoreUnusableError } from './store-errors.ts'

/** A change of the tables. Migrations are ordered by the number at the start of the file's name. */
export type Migration = { readonly number: number; readonly name: string; readonly sql: string }

/** A database that can be migrated. */
export type MigrationTarget = {
  /** Creates the table `migrations` if it is missing. */
  prepare(): Promise<void>
  /** Returns the numbers of the migrations that have been applied. */
  applied(): Promise<readonly number[]>
  /** Applies and records a migration atomically. */
  apply(migration: Migration): Promise<void>
}

/**
 * Applies the missing migrations, each in one transaction with its record, so that a crash leaves it applied or not begun. Throws
 * `StoreUnusableError` if the database belongs to a later version. `onMigration` is called before each migration, except on a new
 * database: on one with data a migration may take minutes.
 */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[],
  onMigration: OnMigration = () => {},
): Promise<void> {
  await target.prepare()
  const applied = new Set(await target.applied())
  const known = new Set(migrations.map(({ number }) => number))
  if ([...applied].some((number) => !known.has(number)))
    throw new StoreUnusableError('The database that DATABASE_URL names was made by a later version of this program.')
  for (const migration of migrations.filter(({ number }) => !applied.has(number))) {
    if (applied.size > 0) onMigration(migration.number)
    await target.apply(migration)
  }
}

/** Called with the number of a migration before it is applied. */
export type OnMigration = (number: number) => void

/**
 * Returns the migrations of one database's folder and, from the folder above it, those for all databases, in order. Throws if two have
 * the same number, since a database would apply only one of them.
 */
export function readMigrations(folder: URL): Migration[] {
  const migrations = [new URL('../', folder), folder]
    .flatMap((each) =>
      readdirSync(each)
        .filter((file) => FILE_NAME.test(file))
        .map((name) => ({ number: Number.parseInt(name, 10), name, sql: readFileSync(new URL(name, each), 'utf8') })),
    )
    .toSorted((one, other) => one.number - other.number)
  const twin = migrations.find(({ number }, index) => migrations[index + 1]?.number === number)
  if (twin !== undefined) throw new Error(`There is another migration with the number of ${twin.name}.`)
  return migrations
}

const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/
