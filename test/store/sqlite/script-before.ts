import { expect } from 'vitest'
import { type Migration, readMigrations } from '../../../src/store/migrate.ts'

/**
 * Returns the statements that create a database as it was before a migration; `table` creates the table of migrations. Fails if the
 * migration is the first one, or does not exist.
 */
export function scriptBefore(name: string, kind: 'sqlite' | 'postgres', table: string): string[] {
  const all = readMigrations(new URL(`../../../src/store/migrations/${kind}/`, import.meta.url))
  const index = all.findIndex((migration) => migration.name.endsWith(`${name}.sql`))
  expect(index).toBeGreaterThan(0)
  const before = all.slice(0, index)
  const record = (migration: Migration) => `INSERT INTO migrations VALUES (${migration.number}, '${migration.name}', 0)`
  return [table, ...before.flatMap((migration) => migration.steps.map(({ sql }) => sql).concat(record(migration)))]
}
