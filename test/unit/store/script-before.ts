import { expect } from 'vitest'
import { type Migration, readMigrations } from '../../../src/store/migrate.ts'

/**
 * Returns the statements that create a database as it was before a migration; `table` creates the table of migrations. Fails if the
 * migration is the first one, or does not exist.
 */
export function scriptBefore(migration: string, kind: 'sqlite' | 'postgres', table: string): string[] {
  const all = readMigrations(new URL(`../../../src/store/migrations/${kind}/`, import.meta.url))
  const index = all.findIndex(({ name }) => name.endsWith(`${migration}.sql`))
  expect(index).toBeGreaterThan(0)
  const before = all.slice(0, index)
  const record = ({ number, name }: Migration) => `INSERT INTO migrations VALUES (${number}, '${name}', 0)`
  return [table, ...before.flatMap((step) => [step.sql, record(step)])]
}
