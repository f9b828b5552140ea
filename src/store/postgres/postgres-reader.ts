import { type ClientBase, Pool } from 'pg'
import type { Db } from '../decide.ts'
import { StoreClosedError } from '../store-errors.ts'
import {
  type StatementResult,
  assertStillUsable,
  type PostgresConnection,
  type ConnectionConfig,
  type OnConnected,
  guarded,
  LIMITS,
} from './postgres-connection.ts'
import { isTransient, toStoreFailure } from './postgres-failure.ts'
import { limitSettings, setForSession, setForTransaction } from './postgres-session.ts'
import { type PooledConnection, queriesOn } from './postgres-transaction.ts'

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
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ${setForTransaction(SETTINGS)}`

/** Creates queries that run concurrently with the writer, each on a free connection of a pool. */
export function openReader(
  config: ConnectionConfig,
  onConnected: OnConnected = async () => {},
): { readonly db: Db; close(): Promise<void> } {
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
  return { db: queriesOn(lease), close: () => (ended ??= pool.end()) }
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
  const parts = [connection.run(BEGIN), connection.run(sql, parameters), connection.run('COMMIT')] as const
  const [begun, answered] = await Promise.allSettled(parts)
  // If BEGIN fails, the query fails as a consequence, with a less precise error.
  if (begun.status === 'rejected') throw begun.reason
  if (answered.status === 'rejected') throw answered.reason
  return answered.value
}
