import { type ClientBase, Pool } from 'pg'
import type { StoreFigures } from '../../observability/metrics/store-metrics.ts'
import type { Db, Transaction, AsyncTransactionSteps } from '../group-commit.ts'
import { StoreClosedError, StoreFailure } from '../store-errors.ts'
import { WRITERS_LOCK } from './migrations.ts'
import {
  type StatementResult,
  assertStillUsable,
  type PostgresConnection,
  type ConnectionConfig,
  type OnConnected,
  guarded,
  LIMITS,
  limitSettings,
  setForSession,
  setForTransaction,
  connect,
  type OwnConnection,
} from './postgres-connection.ts'
import { isTransient, toStoreFailure } from './postgres-failure.ts'
import { type PooledConnection, queriesOn, postgresTransaction } from './postgres-transaction.ts'

/** Maximum number of reading connections. If all are in use, a read waits for at most the connection timeout. */
const MAX_READERS = 8

/**
 * Planner settings that force index scans. Every read has an index that contains its rows in order. With its own estimates the planner
 * may choose another plan for a filter that few rows match, and then reads the whole table. A prepared statement is planned once: with
 * 24 monthly partitions the plan of a page takes five times as long as the page.
 */
export const PLANNING: readonly string[] = [
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'max_parallel_workers_per_gather = 0',
  'plan_cache_mode = force_generic_plan',
  'jit = off',
]

const SETTINGS = [...limitSettings(LIMITS), ...PLANNING]
const BEGIN_READ = `BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ${setForTransaction(SETTINGS)}`

/** Creates queries that run concurrently with the writer, each on a free connection of a pool. */
export function openReader(
  config: ConnectionConfig,
  onConnected: OnConnected = async () => {},
): { readonly db: Db; connections(): NonNullable<StoreFigures['connections']>; close(): Promise<void> } {
  const pool = new Pool({ ...config, max: MAX_READERS, pipeline: true })
  const connections = new WeakMap<ClientBase, PostgresConnection>()
  // The pool itself drops an idle connection that is lost.
  pool.on('error', () => {})
  pool.on('connect', (client) => connections.set(client, guarded(client, config.pooler)))
  const proven = new WeakSet<PostgresConnection>()
  let ended: Promise<void> | null = null

  const lease = async (): Promise<PooledConnection> => {
    if (ended !== null) throw new StoreClosedError()
    const client = await pool.connect().catch((error: unknown) => {
      throw toStoreFailure(error)
    })
    const connection = connections.get(client) ?? guarded(client, config.pooler)
    const release = () => client.release(connection.broken)
    try {
      if (!proven.has(connection)) {
        await assertStillUsable(connection)
        await onConnected(connection)
        if (!connection.shared) await connection.run(setForSession(SETTINGS))
      }
      proven.add(connection)
      return { connection: persistent(connection), release }
    } catch (error) {
      client.release(true)
      throw error
    }
  }
  const pooled = () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    limit: MAX_READERS,
  })
  return { db: queriesOn(lease), connections: pooled, close: () => (ended ??= pool.end()) }
}

/** Retries a query once after a transient failure, because reads can be repeated. */
function persistent(connection: PostgresConnection): Pick<PostgresConnection, 'run'> {
  return {
    run: (sql, parameters) =>
      ask(connection, sql, parameters).catch((error: unknown) => {
        if (isTransient(error)) return ask(connection, sql, parameters)
        throw error
      }),
  }
}

/**
 * Runs a query; in a shared session as a transaction with its own settings. Its three parts are sent at once, so that they also take one
 * round trip. The pooler keeps the session for them, because only the last part ends the transaction.
 */
async function ask(
  connection: PostgresConnection,
  sql: string,
  parameters?: readonly unknown[],
): Promise<StatementResult> {
  if (!connection.shared) return connection.run(sql, parameters)
  const parts = [connection.run(BEGIN_READ), connection.run(sql, parameters), connection.run('COMMIT')] as const
  const [begun, answered] = await Promise.allSettled(parts)
  // If BEGIN fails, the query fails as a consequence, with a less precise error.
  if (begun.status === 'rejected') throw begun.reason
  if (answered.status === 'rejected') throw answered.reason
  return answered.value
}

export type PostgresWriter = {
  readonly steps: AsyncTransactionSteps
  /** Statements of the open transaction. */
  readonly transaction: Transaction
  close(): void
}

/**
 * Only one node writes at a time, as on SQLite: each transaction waits for one lock before its first statement and holds it to its end.
 * Under READ COMMITTED every statement sees what was committed before it began. So a decision sees all earlier writes of all nodes, and two
 * nodes can neither lose an update nor both create the same row. This costs little, because every append would wait for the row of the
 * log's head anyway.
 *
 * The isolation level is explicit, because the server's default may differ: REPEATABLE READ would take its snapshot before it waits. The
 * timeouts apply to the transaction only, because a pooler may assign another session to the next one.
 */
const BEGIN_WRITE = [
  'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
  setForTransaction([...limitSettings(LIMITS), ...PLANNING]),
  `SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`,
].join('; ')

/** Creates the writer, with the only connection of this process that writes. It is opened on first use, and again after it was lost. */
export function createWriter(config: ConnectionConfig, onConnected: OnConnected): PostgresWriter {
  let open: OwnConnection | null = null

  const discard = (): void => {
    // Not awaited, because a server that hangs does not answer.
    void open?.end().catch(() => {})
    open = null
  }
  const usable = async (): Promise<OwnConnection> => {
    if (open?.broken === true) discard()
    if (open !== null) return open
    open = await connect(config)
    try {
      await assertStillUsable(open)
      await onConnected(open)
      return open
    } catch (error) {
      discard()
      throw error
    }
  }
  const current = (): OwnConnection => {
    if (open === null) throw new StoreFailure('DOWN', null)
    return open
  }

  return {
    transaction: postgresTransaction(current),
    steps: {
      async begin() {
        await (await usable()).run(BEGIN_WRITE)
      },
      async commit() {
        // After an error in the transaction, COMMIT succeeds but rolls back: its command is then ROLLBACK.
        const { command } = await current().run('COMMIT')
        if (command !== 'COMMIT') throw new StoreFailure('OTHER', null)
      },
      async rollback() {
        // A lost connection is closed at once, because the server holds the lock while it is open.
        if (open?.broken === true) discard()
        try {
          await open?.run('ROLLBACK')
        } catch {
          discard()
        }
      },
    },
    close: discard,
  }
}
