import { sql } from 'kysely'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import { createDatabase, createListeners, type LogBranches } from '../create-database.ts'
import { type CommitObserver, type Db, createGroupCommit, type GroupCommit } from '../group-commit.ts'
import type { MigrationListener } from '../migrate.ts'
import type { Database } from '../port.ts'
import { type PrunedKind } from '../retention/kinds.ts'
import { PRUNED_BY, type PruneUnits, rowUnits, startOfMonth } from '../retention/retention-queries.ts'
import { migratePostgres, WRITERS_LOCK } from './migrations.ts'
import {
  ANSWER_MS,
  assertUsable,
  clientConfig,
  connect,
  createSockets,
  type SocketFactory,
  type PostgresConnection,
} from './postgres-connection.ts'
import { isTransient, unusable, isDenied } from './postgres-failure.ts'
import { openReader, createWriter } from './writer.ts'

export type PostgresOptions = MigrationListener & {
  /**
   * URL of the database, with user and password: postgres://user:password@host:5432/database; `?pooler=` names what a pooler preserves of
   * a session.
   */
  readonly url: string
  /** Time for the expiry of links and the recorded opening time. Default: the system's clock. */
  readonly clock?: () => Date
  /** Is told of each transaction. */
  readonly observer?: CommitObserver
}

/** Milliseconds. Plus the time until it is detected that the server does not answer: about five seconds. */
const MAX_WAIT_MS = 2000

/**
 * Opens a database on a PostgreSQL server, which any number of nodes can share. Rejects with `StoreUnusableError` if the database cannot
 * be reached or used, if a later version has changed it incompatibly, or if its commits would not be durable. No later failure is fatal: a server
 * that cannot sync restarts by itself and recovers what it had committed.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, clock = () => new Date() } = options
  const sockets = createSockets()
  try {
    await prepareDatabase(sockets, clock(), options)
    const config = clientConfig(url, sockets, ANSWER_MS)
    const branches = createLogBranches()
    const reader = openReader(config, branches.check)
    const writer = createWriter(config, branches.check)
    const appended = createListeners<readonly PaymentEvent[]>()
    const commits = createGroupCommit({
      steps: writer.steps,
      transaction: writer.transaction,
      onAppended: appended.notify,
      toFailure: (error) => error,
      isTransient,
      maxWaitMs: MAX_WAIT_MS,
      ...(options.observer === undefined ? {} : { observer: options.observer }),
    })
    const pruneUnits = postgresPruneUnits(reader.db, commits.exclusively)
    await pruneUnits.prepare(clock())
    return await createDatabase({
      reader: reader.db,
      lists: reader.db,
      commits,
      pruneUnits,
      // Old versions of rows are removed by VACUUM.
      onErased: () => {},
      rows: null,
      position: 'strpos',
      branches,
      version: await versionOf(reader.db),
      appended,
      now: clock,
      databaseNow: () => clockOf(reader.db),
      assertHealthy: () => {},
      assertRoom: async () => {},
      figures: async () => ({
        sizeBytes: await sizeOf(reader.db),
        writeAheadBytes: null,
        diskFreeBytes: null,
        connections: reader.connections(),
      }),
      onFatal: () => () => {},
      async close() {
        await commits.close()
        writer.close()
        await reader.close()
        sockets.close()
      },
    })
  } catch (error) {
    sockets.close()
    throw unusable(error)
  }
}

/** Returns the time of the server: a transaction's own `now()` would be that of its beginning. */
async function clockOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`.execute(db)
  return new Date(Number(rows[0]?.now))
}

async function sizeOf(db: Db): Promise<number> {
  const { rows } = await sql<{ size: number }>`SELECT pg_database_size(current_database()) AS size`.execute(db)
  return Number(rows[0]?.size)
}

/** Returns the version alone: distributions add their own name to it. */
async function versionOf(db: Db): Promise<string> {
  const { rows } = await sql<{ server_version: string }>`SHOW server_version`.execute(db)
  return rows[0]?.server_version.split(' ')[0] ?? ''
}

/** Checks and migrates the database, on separate connections without a query timeout. */
async function prepareDatabase(sockets: SocketFactory, now: Date, options: PostgresOptions): Promise<void> {
  const config = clientConfig(options.url, sockets, 0)
  const open = async () => {
    const connection = await connect(config)
    await assertUsable(connection)
    return connection
  }
  await migratePostgres({ ...options, open, now })
}

/**
 * The branches of the log: it branches when it goes on on another server or in restored tables, since the commits that were made after the
 * backup, or that a standby had not received, are missing there.
 */
export type ServerBranches = LogBranches & {
  /** Records a branch if a new connection leads to another server, or to other tables, than before. Called before the connection is used. */
  check(connection: PostgresConnection): Promise<void>
}

/**
 * The server and the database: another cluster has another system identifier, each restore to a point in time and each promotion of a
 * standby begins a timeline (the first eight digits of the names of its WAL files), and a dump is restored into a database of its own.
 */
const SERVER = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The table itself: `pg_restore --clean` and a restored schema create it anew, also in the same database. */
const HEAD_TABLE = `'log_head'::regclass::oid::text`

const BRANCHES = `SELECT number, after_position, server = ${SERVER} AND head_table = ${HEAD_TABLE} AS here FROM log_branches ORDER BY number`

/** One transaction that excludes writers: nothing may be appended to a branch that is not recorded. */
const RECORD = `
  BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SELECT pg_advisory_xact_lock(${WRITERS_LOCK});
  INSERT INTO log_branches (number, server, head_table, after_position)
    SELECT (SELECT count(*) FROM log_branches), ${SERVER}, ${HEAD_TABLE}, position FROM log_head
    WHERE (SELECT server || ' ' || head_table FROM log_branches ORDER BY number DESC LIMIT 1)
      IS DISTINCT FROM ${SERVER} || ' ' || ${HEAD_TABLE};
  COMMIT`

function createLogBranches(): ServerBranches {
  let positions: readonly number[] = []
  const branched = createListeners<number>()
  return {
    positions: () => positions,
    onBranch: branched.add,
    async check(connection) {
      const rows = await branchesOf(connection)
      if (rows.length === 0) return
      const before = positions
      positions = rows.slice(1).map((row) => Number(row['after_position']))
      const last = lastCommon(before, positions)
      if (last !== null) branched.notify(last)
    },
  }
}

/** Returns the position up to which a log with some branches, and one with others, are the same; null if all branches are. */
function lastCommon(before: readonly number[], after: readonly number[]): number | null {
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  const first = longer.findIndex((last, branch) => last !== shorter[branch])
  return first === -1 ? null : Math.min(...before.slice(first), ...after.slice(first))
}

/** Returns the branches, of which the last is that of this server; none if the user may not know which server it is. */
async function branchesOf(connection: PostgresConnection): Promise<readonly Record<string, unknown>[]> {
  try {
    const { rows } = await connection.run(BRANCHES)
    if (rows.at(-1)?.['here'] === true) return rows
  } catch (error) {
    if (isDenied(error)) return []
    throw error
  }
  await connection.run(RECORD)
  return (await connection.run(BRANCHES)).rows
}

/** Months that have a partition ahead of time, besides the current one. */
const AHEAD = 3
/** Milliseconds. Dropping a partition needs a lock for which the statements of all nodes wait. */
const DROP_LOCK_MS = 500

/** The unique keys of a partition of each partitioned table. */
const KEYS = {
  events: 'PRIMARY KEY (position), UNIQUE (stream_id, sequence)',
  deliveries: 'PRIMARY KEY (number), UNIQUE (id)',
} as const

type Partitioned = keyof typeof KEYS

function isPartitioned(kind: PrunedKind): kind is Partitioned {
  return kind in KEYS
}

type Partition = { readonly name: string; readonly until: number }

/**
 * Creates the units of PostgreSQL: monthly partitions. Dropping one costs no reads, no writes and no vacuum. The events of payouts and
 * gateway payments, which are few, have none.
 */
function postgresPruneUnits(reader: Db, exclusively: GroupCommit['exclusively']): PruneUnits {
  const units = rowUnits(reader)
  return {
    async prepare(now) {
      for (const kind of ['events', 'deliveries'] as const) {
        if (monthsWithout(await partitionsOf(reader, kind), now).length === 0) continue
        await exclusively(async ({ db }) => {
          // Queried again: another node may have created them before this transaction began.
          for (const from of monthsWithout(await partitionsOf(db, kind), now)) await createPartition(db, kind, from)
        })
      }
    },
    async due(kind, before) {
      if (!isPartitioned(kind)) return units.due(kind, before)
      const [oldest] = await partitionsOf(reader, kind)
      return oldest === undefined || oldest.until > before.getTime()
        ? null
        : { kind, until: oldest.until, table: oldest.name }
    },
    async remove(db, unit, upTo) {
      if (!isPartitioned(unit.kind)) await units.remove(db, unit, upTo)
    },
    async removeUnit(db, { kind, table }, last) {
      if (!isPartitioned(kind)) return
      await sql.raw(`SET LOCAL lock_timeout = ${DROP_LOCK_MS}`).execute(db)
      const { place } = PRUNED_BY[kind]
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(place)} > ${last} LIMIT 1`.execute(
        db,
      )
      if (rows.length > 0) throw new Error(`${table} has rows that are not archived.`)
      await sql`DROP TABLE ${sql.table(table)}`.execute(db)
    },
  }
}

/** Returns the partitions with a bound, oldest first. */
async function partitionsOf(db: Db, kind: Partitioned): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
    FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = ${kind}::regclass`.execute(db)
  return rows
    .flatMap(({ name, bounds }) => {
      const until = /TO \('?(\d+)'?\)/.exec(bounds)?.[1]
      return until === undefined ? [] : [{ name, until: Number(until) }]
    })
    .toSorted((one, other) => one.until - other.until)
}

/** Returns the starts of the months from now on that have no partition. */
function monthsWithout(partitions: readonly Partition[], now: Date): number[] {
  const end = partitions.at(-1)?.until ?? 0
  return Array.from({ length: AHEAD + 1 }, (_, months) => startOfMonth(now.getTime(), months)).filter(
    (from) => from >= end,
  )
}

/** Creates the partition of a month, unless rows of this month are in the default partition. */
async function createPartition(db: Db, kind: Partitioned, from: number): Promise<void> {
  const { by } = PRUNED_BY[kind]
  const until = startOfMonth(from, 1)
  const misplaced = await sql`
    SELECT 1 FROM ${sql.table(`${kind}_other`)} WHERE ${sql.ref(by)} >= ${from} AND ${sql.ref(by)} < ${until} LIMIT 1`.execute(
    db,
  )
  if (misplaced.rows.length > 0) return
  const name = `${kind}_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
  await sql
    .raw(`CREATE TABLE ${name} (LIKE ${kind} INCLUDING DEFAULTS INCLUDING CONSTRAINTS, ${KEYS[kind]})`)
    .execute(db)
  // Unlike CREATE TABLE … PARTITION OF, this does not block statements on the table.
  await sql.raw(`ALTER TABLE ${kind} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${until})`).execute(db)
}
