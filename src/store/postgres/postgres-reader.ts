import { type ClientBase, Pool } from 'pg'
import { StoreClosedError } from '../store-errors.ts'
import type { Db } from '../unit.ts'
import {
  type StatementResult,
  assertStillUsable,
  type PostgresConnection,
  type ConnectionConfig,
  guarded,
  LIMITS,
} from './postgres-connection.ts'
import { type Lease, queriesOn } from './postgres-dialect.ts'
import { isTransient, toStoreFailure } from './postgres-failure.ts'
import { limitSettings, setForSession, setForTransaction } from './postgres-session.ts'

/** Connections that read at the same time; who finds them all in use waits as long as for a new connection. */
const MAX_READERS = 8

/**
 * Every read has an index that holds its rows in its order. A planner that weighs other ways by what it guesses of a filter takes
 * one of them for a list of which few rows are left to find, and then reads all of the table.
 */
export const PLANNING: readonly string[] = [
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'max_parallel_workers_per_gather = 0',
  'jit = off',
]

const SETTINGS = [...limitSettings(LIMITS), ...PLANNING]
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ${setForTransaction(SETTINGS)}`

/** Queries beside the writer, each on the next connection that is free. */
export function openReader(config: ConnectionConfig): { readonly db: Db; close(): Promise<void> } {
  const pool = new Pool({ ...config, max: MAX_READERS, pipeline: true })
  const connections = new WeakMap<ClientBase, PostgresConnection>()
  // The pool itself drops a connection that is lost while nobody uses it.
  pool.on('error', () => {})
  pool.on('connect', (client) => connections.set(client, guarded(client, config.pooler)))
  const proven = new WeakSet<PostgresConnection>()
  let ended: Promise<void> | null = null

  const lease = async (): Promise<Lease> => {
    if (ended !== null) throw new StoreClosedError()
    const client = await pool.connect().catch((error: unknown) => {
      throw toStoreFailure(error)
    })
    const connection = connections.get(client) ?? guarded(client, config.pooler)
    const release = () => client.release(connection.broken)
    try {
      if (!proven.has(connection)) {
        await assertStillUsable(connection)
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

/** A question may be asked again. */
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
 * In a session that is shared, a query is a transaction with settings of its own. Its three parts are sent at once, so that it takes
 * one round trip too; the pooler holds the session for them, since no part but the last ends the transaction.
 */
async function ask(
  connection: PostgresConnection,
  sql: string,
  parameters?: readonly unknown[],
): Promise<StatementResult> {
  if (!connection.shared) return connection.run(sql, parameters)
  const parts = [connection.run(BEGIN), connection.run(sql, parameters), connection.run('COMMIT')] as const
  const [begun, answered] = await Promise.allSettled(parts)
  // Whatever has failed to begin has failed for the same reason to answer, which says less.
  if (begun.status === 'rejected') throw begun.reason
  if (answered.status === 'rejected') throw answered.reason
  return answered.value
}
