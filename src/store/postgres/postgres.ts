import { createAppendListeners } from '../append-listeners.ts'
import { createDatabase } from '../create-database.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { OnMigration } from '../migrate.ts'
import type { Database } from '../port.ts'
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
  /** Address of the database, with user and password: postgres://user:password@host:5432/database; `?pooler=` says what is known of a pooler. */
  readonly url: string
  /** Tells which links are over, and when the database was opened. Default: the system's clock. */
  readonly clock?: () => Date
  /** Is told of each change of the tables before it is made. Default: nobody is. */
  readonly onMigration?: OnMigration
}

/** Together with the time that it takes to find out that the server does not answer: about five seconds. */
const MAX_WAIT_MS = 2000

/**
 * Opens a database on a PostgreSQL server, beside any number of other nodes. Throws `StoreUnusableError` when the database
 * cannot be reached or used, when it comes from a later version, and when its commits would not be durable. Nothing that
 * happens later is fatal: a server that could not sync restarts by itself, and comes back with what it had committed.
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

/**
 * On a connection of its own, which may take its time: a migration is as long as its tables. What runs once is not prepared, so that
 * it meets no statement of another node behind a pooler.
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
