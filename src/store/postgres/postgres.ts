import { sql } from 'kysely'
import type { PaymentEvent } from '../../domain/payments/payment-event.ts'
import { createDatabase, createListeners } from '../create-database.ts'
import type { Db } from '../decide.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { MigrationListener } from '../migrate.ts'
import type { Database } from '../port.ts'
import { POSTGRES_SEARCH } from '../queries/payment-search.ts'
import { createLogBranches } from './log-branches.ts'
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
import { postgresPruneUnits } from './postgres-prune-units.ts'
import { openReader } from './postgres-reader.ts'
import { createWriter } from './writer.ts'

export type PostgresOptions = MigrationListener & {
  /**
   * URL of the database, with user and password: postgres://user:password@host:5432/database; `?pooler=` names what a pooler preserves of
   * a session.
   */
  readonly url: string
  /** Time for the expiry of links and the recorded opening time. Default: the system's clock. */
  readonly clock?: () => Date
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
      search: POSTGRES_SEARCH,
      branches,
      appended,
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
