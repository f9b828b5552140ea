import { sql } from 'kysely'
import { createAppendListeners } from '../append-listeners.ts'
import { createDatabase } from '../create-database.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { OnMigration } from '../migrate.ts'
import type { Database } from '../port.ts'
import type { Db } from '../unit.ts'
import { migratePostgres } from './migrations.ts'
import {
  ANSWER_MS,
  assertUsable,
  clientConfig,
  connect,
  createSockets,
  type SocketFactory,
} from './postgres-connection.ts'
import { isTransient, unusable } from './postgres-failure.ts'
import { openReader } from './postgres-reader.ts'
import { createWriter } from './writer.ts'

export type PostgresOptions = {
  /**
   * URL of the database, with user and password: postgres://user:password@host:5432/database; `?pooler=` names what a pooler preserves of
   * a session.
   */
  readonly url: string
  /** Time for the expiry of links and the recorded opening time. Default: the system's clock. */
  readonly clock?: () => Date
  /** Called before each migration of a database that is not new. Default: no callback. */
  readonly onMigration?: OnMigration
}

/** Milliseconds. Plus the time until it is detected that the server does not answer: about five seconds. */
const MAX_WAIT_MS = 2000

/**
 * Opens a database on a PostgreSQL server, which any number of nodes can share. Rejects with `StoreUnusableError` if the database cannot
 * be reached or used, if it belongs to a later version, or if its commits would not be durable. No later failure is fatal: a server
 * that cannot sync restarts by itself and recovers what it had committed.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, clock = () => new Date() } = options
  const sockets = createSockets()
  try {
    await prepareDatabase(sockets, clock(), options)
    const config = clientConfig(url, sockets, ANSWER_MS)
    const reader = openReader(config)
    const writer = createWriter(config)
    const listeners = createAppendListeners()
    const commits = createGroupCommit({
      steps: writer.steps,
      transaction: writer.transaction,
      onAppended: listeners.notify,
      toFailure: (error) => error,
      isTransient,
      maxWaitMs: MAX_WAIT_MS,
    })
    return await createDatabase({
      reader: reader.db,
      lists: reader.db,
      commits,
      rows: null,
      listeners,
      now: clock,
      isShared: true,
      databaseNow: () => clockOf(reader.db),
      assertHealthy: () => {},
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

/**
 * Checks and migrates the database, on a separate connection without a query timeout. Its statements run once and are not prepared, so
 * that they cannot collide with a prepared statement of another node behind a pooler.
 */
async function prepareDatabase(
  sockets: SocketFactory,
  now: Date,
  { url, onMigration }: PostgresOptions,
): Promise<void> {
  const connection = await connect({ ...clientConfig(url, sockets, 0), pooler: 'transaction' })
  await assertUsable(connection)
  await migratePostgres(connection, now, onMigration)
  await connection.end()
}
