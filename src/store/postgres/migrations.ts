import { migrate, type Migration, type MigrationTarget, type OnMigration, readMigrations } from '../migrate.ts'
import { MIGRATION_LOCK, WRITERS_LOCK } from './locks.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { limitSettings, setForTransaction } from './postgres-session.ts'

const MIGRATIONS = new URL('../migrations/postgres/', import.meta.url)

/** Milliseconds. A node waits two minutes for another node's migrations. A migration has no timeout: its time grows with its tables. */
const LIMITS = { lock: 120_000, statement: 0 }
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${setForTransaction(limitSettings(LIMITS))};
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`

/**
 * Applies the missing migrations. If several nodes start at once, one does it and the others wait. All of it is one transaction, because
 * a lock of the session would outlive the client behind a pooler.
 */
export async function migratePostgres(
  connection: PostgresConnection,
  now: Date,
  onMigration?: OnMigration,
): Promise<void> {
  await connection.run(BEGIN)
  await migrate(migrationTarget(connection, now), readMigrations(MIGRATIONS), onMigration)
  await connection.run('UPDATE meta SET opened_at = $1', [now.getTime()])
  await connection.run('COMMIT')
}

function migrationTarget(connection: PostgresConnection, now: Date): MigrationTarget {
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
      // Excludes the writers of other nodes: they lock the tables in another order, which could deadlock.
      await connection.run(`SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`)
      await connection.run(sql)
      await connection.run('INSERT INTO migrations (number, name, applied_at) VALUES ($1, $2, $3)', [
        number,
        name,
        now.getTime(),
      ])
    },
  }
}
