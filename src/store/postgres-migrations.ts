import { migrate, type Migration, type MigrationTarget, type OnMigration, readMigrations } from './migrate.ts'
import type { Connection } from './postgres-connection.ts'
import { MIGRATION_LOCK } from './postgres-locks.ts'

const MIGRATIONS = new URL('./migrations/postgres/', import.meta.url)

/** Brings the tables up to date. Of several nodes that start at once, one does it and the others wait for it. */
export async function migratePostgres(connection: Connection, now: Date, onMigration?: OnMigration): Promise<void> {
  await connection.run(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`)
  await migrate(migrationTarget(connection, now), readMigrations(MIGRATIONS), onMigration)
  await connection.run('UPDATE meta SET opened_at = $1', [now.getTime()])
  await connection.run(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`)
}

function migrationTarget(connection: Connection, now: Date): MigrationTarget {
  return {
    async prepare() {
      await connection.run(
        'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
      )
    },
    async applied() {
      const { rows } = await connection.run('SELECT number FROM migrations')
      return rows.map(({ number }) => Number(number))
    },
    async apply({ number, name, sql }: Migration) {
      await connection.run('BEGIN')
      await connection.run(sql)
      await connection.run('INSERT INTO migrations (number, name, applied_at) VALUES ($1, $2, $3)', [
        number,
        name,
        now.getTime(),
      ])
      await connection.run('COMMIT')
    },
  }
}
