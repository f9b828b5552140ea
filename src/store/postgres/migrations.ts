import { setTimeout as sleep } from 'node:timers/promises'
import {
  migrate,
  type AppliedMigration,
  type MigrationListener,
  type MigrationTarget,
  type Migration,
  type MigrationStep,
  readMigrations,
} from '../migrate.ts'
import { StoreFailure } from '../store-errors.ts'
import { type OwnConnection, type PostgresConnection, limitSettings, setForTransaction } from './postgres-connection.ts'

type PostgresMigrationOptions = MigrationListener & {
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
  const { open, now, migrations = readMigrations('postgres'), onMigrationWait } = options
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

const TABLE = `CREATE TABLE IF NOT EXISTS migrations
  (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL, compatibility TEXT NOT NULL, steps INTEGER NOT NULL)`

/** Returns what is recorded. */
async function appliedMigrations(connection: PostgresConnection): Promise<AppliedMigration[]> {
  const { rows: tables } = await connection.run(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  if (tables[0]?.['exists'] !== true) return []
  const { rows } = await connection.run('SELECT number, compatibility, steps FROM migrations')
  return rows as AppliedMigration[]
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

const CREATE = /^(?:\s*--.*\n)*\s*CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+) /i

/** Milliseconds between two looks at an index that another session is building. */
const POLL_MS = 250
/** How often an index is built. A second attempt is needed if another session's attempt ended in between. */
const MAX_ATTEMPTS = 3

/** Returns the name of the index that a statement builds concurrently; null for another statement. */
function concurrentIndex(sql: string): string | null {
  return CREATE.exec(sql)?.[1] ?? null
}

/**
 * Builds an index with a statement of which the name of the index is known. If an earlier attempt has left it, it is kept if it is
 * valid and dropped otherwise. The server goes on with the statement of a process that was killed: its end is awaited.
 */
async function buildIndex(connection: PostgresConnection, index: string, sql: string): Promise<void> {
  for (let attempts = 0; ;) {
    const state = await indexState(connection, index)
    if (state === 'valid') return
    if (state === 'being built') await sleep(POLL_MS)
    else if (state === 'invalid') await connection.run(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`)
    else if (attempts < MAX_ATTEMPTS) {
      attempts += 1
      await connection.run(sql)
    } else throw new Error(`The index ${index} could not be built.`)
  }
}

async function indexState(
  connection: PostgresConnection,
  index: string,
): Promise<'absent' | 'valid' | 'invalid' | 'being built'> {
  const { rows } = await connection.run(`
    SELECT indisvalid AS valid,
      EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) AS building
    FROM pg_index WHERE indexrelid = to_regclass('${index}')`)
  const [row] = rows
  if (row === undefined) return 'absent'
  if (row['valid'] === true) return 'valid'
  return row['building'] === true ? 'being built' : 'invalid'
}

/**
 * Milliseconds. While a statement waits for an exclusive lock on a table, all later statements on that table wait behind it: a second
 * is less than their own timeout. A statement itself has no timeout, because its time grows with its table.
 */
const LIMITS = { lock: 1000, statement: 0 }
const BEGIN_STEP = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${setForTransaction(limitSettings(LIMITS))}`

/** In milliseconds: the pauses between attempts double from the first to the longest. */
const PAUSES = { first: 500, longest: 30_000, total: 600_000 }

/** Runs a function in a transaction with the timeouts of a migration. Returns its result. */
async function inTransaction<Result>(connection: PostgresConnection, run: () => Promise<Result>): Promise<Result> {
  await connection.run(BEGIN_STEP)
  try {
    const result = await run()
    await connection.run('COMMIT')
    return result
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Repeats a function while it fails because of a lock, a timeout or a deadlock; for ten minutes in all. */
type Retry = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Creates a retry function; `onWait` is called before each pause. */
function createRetry(onWait: () => void = () => {}): Retry {
  return async (run) => {
    for (let pause = PAUSES.first, waited = 0; ; pause = Math.min(2 * pause, PAUSES.longest)) {
      try {
        return await run()
      } catch (error) {
        const isBusy = error instanceof StoreFailure && error.reason === 'BUSY'
        if (!isBusy || waited >= PAUSES.total) throw error
      }
      onWait()
      await sleep(pause)
      waited += pause
    }
  }
}

/**
 * Advisory locks of this program. Each is named by two numbers and belongs to one database. The first number identifies this program,
 * so that another program in the same database is unlikely to use the same lock.
 */
const OURS = 0x706179

/** Held by each transaction that writes, until its end. */
export const WRITERS_LOCK = `${OURS}, 1`

/** Held by the node that applies migrations. */
export const MIGRATION_LOCK = `${OURS}, 2`

/** Held by the node that applies migrations. */
type MigrationLock = {
  /** Returns whether this node holds the lock. It can be lost with the connection that holds it. */
  isHeld(): Promise<boolean>
  /** Waits until no other node holds the lock, and takes it. */
  take(): Promise<void>
  release(): Promise<void>
}

/** Milliseconds between the statements that keep the transaction from being ended as idle (`postgres-connection.ts`). */
const BEAT_MS = 1000

/**
 * A transaction on a connection of its own holds the lock, because a lock of a session would outlive the client behind a pooler. Nodes
 * do not wait in the server: a statement that waits has a snapshot, and building an index concurrently waits for old snapshots. For the
 * same reason the transaction is READ COMMITTED: between its statements it has no snapshot.
 */
const BEGIN_LOCK = `BEGIN ISOLATION LEVEL READ COMMITTED; ${setForTransaction(limitSettings({ lock: 1000, statement: 0 }))};
  SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS taken`

/** Creates the lock; `onWait` is called once each time that another node holds it. */
function createMigrationLock(open: () => Promise<OwnConnection>, onWait: () => void = () => {}): MigrationLock {
  let connection: OwnConnection | null = null
  let beat: NodeJS.Timeout | undefined
  const isHeld = async (): Promise<boolean> => {
    if (connection === null) return false
    try {
      await connection.run('SELECT 1')
      return true
    } catch {
      await release()
      return false
    }
  }
  const release = async (): Promise<void> => {
    clearInterval(beat)
    const held = connection
    connection = null
    await held?.run('ROLLBACK').catch(() => {})
    void held?.end().catch(() => {})
  }
  return {
    isHeld,
    async take() {
      connection = await open()
      for (let polls = 0; (await connection.run(BEGIN_LOCK)).rows[0]?.['taken'] !== true; polls += 1) {
        await connection.run('ROLLBACK')
        if (polls === 0) onWait()
        await sleep(POLL_MS)
      }
      beat = setInterval(() => void isHeld(), BEAT_MS)
    },
    release,
  }
}
