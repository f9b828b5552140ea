import { readdirSync, readFileSync } from 'node:fs'
import { StoreUnusableError } from './store-errors.ts'

/** A change of the tables: the number in front of the file's name orders it. */
export type Migration = { readonly number: number; readonly name: string; readonly sql: string }

/** What a database offers for its migrations. */
export type MigrationTarget = {
  /** Makes the table `migrations` where it is missing. */
  prepare(): Promise<void>
  /** Numbers of the migrations that the database has had. */
  applied(): Promise<readonly number[]>
  /** Runs a migration and records it, both or neither. */
  apply(migration: Migration): Promise<void>
}

/**
 * Brings a database up to date: each migration in one transaction together with its record, so that a crash between any
 * two statements leaves it done or not begun. Throws `StoreUnusableError` for a database of a later version. `onMigration` is told
 * the number of each that a database with data in it is about to have: that may take minutes.
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

/** Is called with the number of a migration before it is made. */
export type OnMigration = (number: number) => void

/** Reads the migrations of one database's folder and, from the folder above it, those for every database; in order. */
export function readMigrations(folder: URL): Migration[] {
  return [new URL('../', folder), folder]
    .flatMap((each) =>
      readdirSync(each)
        .filter((file) => FILE_NAME.test(file))
        .map((name) => ({ number: Number.parseInt(name, 10), name, sql: readFileSync(new URL(name, each), 'utf8') })),
    )
    .toSorted((one, other) => one.number - other.number)
}

const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/
