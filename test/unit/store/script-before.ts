import { expect } from 'vitest'
import { type Migration, readMigrations } from '../../../src/store/migrate.ts'

/**
 * The statements that make a database as it was before a migration; `table` makes the table of migrations. Throws where the
 * migration is the first one, or not there.
 */
export function scriptBefore(migration: string, kind: 'sqlite' | 'postgres', table: string): string[] {
  const all = readMigrations(new URL(`../../../src/store/migrations/${kind}/`, import.meta.url))
  const before = all.slice(
    0,
    all.findIndex(({ name }) => name.endsWith(`${migration}.sql`)),
  )
  expect(before.length).toBeGreaterThan(0)
  const record = ({ number, name }: Migration) => `INSERT INTO migrations VALUES (${number}, '${name}', 0)`
  return [table, ...before.flatMap((step) => [step.sql, record(step)])]
}
