import { migrate, type AppliedMigration, type MigrationListener, type MigrationTarget } from '../migrate.ts'
import { type Migration, type MigrationStep, readMigrations } from '../migration-files.ts'
import { buildIndex, concurrentIndex } from './concurrent-index.ts'
import { WRITERS_LOCK } from './locks.ts'
import { createMigrationLock, type MigrationLock } from './migration-lock.ts'
import { createRetry, inTransaction, type Retry } from './migration-transaction.ts'
import type { OwnConnection, PostgresConnection } from './postgres-connection.ts'

const MIGRATIONS = new URL('../migrations/postgres/', import.meta.url)

export type PostgresMigrationOptions = MigrationListener & {
  /** Opens a connection without a query timeout. */
  readonly open: () => Promise<OwnConnection>
  readonly now: Date
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[]
}

/**
 * Applies the missing migrations while other nodes read and write. One node does it at a time; the others wait, unless they miss none.
 * Statements have no parameters, so that none is prepared: a pooler may have one of the same name.
 */
export async function migratePostgres(options: PostgresMigrationOptions): Promise<void> {
  const { open, now, migrations = readMigrations(MIGRATIONS), onMigrationWait } = options
  const connection = await open()
  const lock = createMigrationLock(open, onMigrationWait)
  const retry = createRetry(onMigrationWait)
  try {
    await migrate(migrationTarget({ connection, lock, retry, now }), migrations, options)
    await retry(() => inTransaction(connection, () => connection.run(`UPDATE meta SET opened_at = ${now.getTime()}`)))
  } finally {
    await lock.release()
    // Not awaited: a server that hangs does not answer.
    void connection.end().catch(() => {})
  }
}

type Parts = {
  readonly connection: PostgresConnection
  readonly lock: MigrationLock
  readonly retry: Retry
  readonly now: Date
}

function migrationTarget(parts: Parts): MigrationTarget {
  const { connection, lock, retry } = parts
  return {
    applied: () => appliedMigrations(connection),
    async apply(migration, step) {
      const isOutside = migration.steps[step]?.kind === 'outside a transaction'
      if (await lock.isHeld())
        await (isOutside ? applyOutside(parts, migration, step) : applyInTransaction(parts, migration, step))
      else {
        // Nothing is applied yet: meanwhile another node may have applied this step.
        await lock.take()
        await retry(() => inTransaction(connection, () => connection.run(TABLE)))
      }
    },
  }
}

async function applyInTransaction(
  { connection, retry, now }: Parts,
  migration: Migration,
  index: number,
): Promise<void> {
  const { kind, sql } = stepOf(migration, index)
  await retry(() =>
    inTransaction(connection, async () => {
      // First, so that of two transactions with this step one waits for the other, and then changes nothing.
      if (!(await recordStep(connection, migration, index, now))) return
      // Writers lock tables in another order, which could deadlock.
      if (kind === 'short') await connection.run(`SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`)
      await connection.run(sql)
    }),
  )
}

async function applyOutside({ connection, retry, now }: Parts, migration: Migration, index: number): Promise<void> {
  const { sql } = stepOf(migration, index)
  // Not in a session that a pooler shares: the settings would hold for its next client.
  if (!connection.shared) await connection.run('SET statement_timeout = 0; SET lock_timeout = 0')
  const name = concurrentIndex(sql)
  await retry(async () => {
    await (name === null ? connection.run(sql) : buildIndex(connection, name, sql))
  })
  await retry(() => inTransaction(connection, () => recordStep(connection, migration, index, now)))
}

function stepOf({ name, steps }: Migration, index: number): MigrationStep {
  const step = steps[index]
  if (step === undefined) throw new Error(`${name} has no step ${index}.`)
  return step
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
  ALTER TABLE migrations ADD COLUMN IF NOT EXISTS compatibility TEXT;
  ALTER TABLE migrations ADD COLUMN IF NOT EXISTS steps INTEGER`

/** Returns what is recorded. The row as JSON, because an earlier version's table has fewer columns. */
async function appliedMigrations(connection: PostgresConnection): Promise<AppliedMigration[]> {
  const { rows: tables } = await connection.run(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  if (tables[0]?.['exists'] !== true) return []
  const { rows } = await connection.run('SELECT row_to_json(migrations)::text AS row FROM migrations')
  return rows.map(({ row }) => {
    const { number, compatibility = null, steps = null } = JSON.parse(String(row)) as Partial<AppliedMigration>
    return { number: Number(number), compatibility, steps }
  })
}

/** Records that a step is applied. Returns false, and changes nothing, if it is recorded already. */
async function recordStep(
  connection: PostgresConnection,
  { number, name, compatibility }: Migration,
  step: number,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await connection.run(`
    INSERT INTO migrations (number, name, applied_at, compatibility, steps)
      VALUES (${number}, '${name}', ${now.getTime()}, '${compatibility}', ${step + 1})
      ON CONFLICT (number) DO UPDATE SET steps = EXCLUDED.steps, applied_at = EXCLUDED.applied_at
      WHERE migrations.steps = ${step}`)
  return rowCount === 1
}
