import { type ClientBase, type ClientConfig, Pool } from 'pg'
import { StoreClosedError } from './errors.ts'
import { assertStillUsable, type Connection, guarded } from './postgres-connection.ts'
import { type Lease, queriesOn } from './postgres-dialect.ts'
import { isTransient, toStoreFailure } from './postgres-failure.ts'
import type { Db } from './unit.ts'

/** Connections that read at the same time; who finds them all in use waits as long as for a new connection. */
const MAX_READERS = 8

/**
 * Every read has an index that holds its rows in its order. A planner that weighs other ways by what it guesses of a filter takes
 * one of them for a list of which few rows are left to find, and then reads all of the table.
 */
export const PLANNER_SETTINGS = [
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'max_parallel_workers_per_gather = 0',
  'jit = off',
]

const PLANNING = PLANNER_SETTINGS.map((setting) => `SET ${setting}`).join('; ')

/** Queries beside the writer, each on the next connection that is free. */
export function openReader(config: ClientConfig): { readonly db: Db; close(): Promise<void> } {
  const pool = new Pool({ ...config, max: MAX_READERS })
  const connections = new WeakMap<ClientBase, Connection>()
  // The pool itself drops a connection that is lost while nobody uses it.
  pool.on('error', () => {})
  pool.on('connect', (client) => connections.set(client, guarded(client)))
  const proven = new WeakSet<Connection>()
  let ended: Promise<void> | null = null

  const lease = async (): Promise<Lease> => {
    if (ended !== null) throw new StoreClosedError()
    const client = await pool.connect().catch((error: unknown) => {
      throw toStoreFailure(error)
    })
    const connection = connections.get(client) ?? guarded(client)
    const release = () => client.release(connection.broken)
    try {
      if (!proven.has(connection)) {
        await assertStillUsable(connection)
        await connection.run(PLANNING)
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
function persistent(connection: Connection): Pick<Connection, 'run'> {
  return {
    run: (sql, parameters) =>
      connection.run(sql, parameters).catch((error: unknown) => {
        if (isTransient(error)) return connection.run(sql, parameters)
        throw error
      }),
  }
}
