import { REFUND_WINDOW_MS } from '../domain/read-schedule.ts'
import { createAppendListeners } from './append-listeners.ts'
import { createStore } from './create-store.ts'
import { createGroupCommit } from './group-commit.ts'
import type { OnMigration } from './migrate.ts'
import { ANSWER_MS, assertUsable, clientConfig, connect, createSockets, type Sockets } from './postgres-connection.ts'
import { isTransient, unusable } from './postgres-failure.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { openReader } from './postgres-reader.ts'
import { createWriter } from './postgres-writer.ts'
import type { Store } from './store.ts'
import type { Write, WriteUnit } from './unit.ts'

export type PostgresStoreOptions = {
  /** Address of the database, with user and password: postgres://user:password@host:5432/database; `?pooler=` says what is known of a pooler. */
  readonly url: string
  /** Tells which links are over, and when the database was opened. Default: the system's clock. */
  readonly clock?: () => Date
  /** How long after its last change a payment is polled, in milliseconds. Default: 180 days. */
  readonly refundWindowMs?: number
  /** Is told of each change of the tables before it is made. Default: nobody is. */
  readonly onMigration?: OnMigration
}

/**
 * Each savepoint that wrote is a transaction of its own to the server, which keeps 64 of them at hand: with more, every
 * reader has to look them up (https://www.postgresql.org/docs/current/subxacts.html).
 */
const MAX_BATCH = 64
/** How long the first job of a batch waits for the last one, in milliseconds; the other nodes wait as long. */
const MAX_BATCH_MS = 50
/** Together with the time that it takes to find out that the server does not answer: about five seconds. */
const MAX_WAIT_MS = 2000
const ATTEMPTS = 3

/**
 * Opens the store on a PostgreSQL server, beside any number of other nodes. Throws `StoreUnusableError` when the database
 * cannot be reached or used, when it comes from a later version, and when its commits would not be durable. Nothing that
 * happens later is fatal: a server that could not sync restarts by itself, and comes back with what it had committed.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, clock = () => new Date(), refundWindowMs = REFUND_WINDOW_MS } = options
  const sockets = createSockets()
  try {
    await prepareDatabase(sockets, clock(), options)
    const config = clientConfig(url, sockets, ANSWER_MS)
    const reader = openReader(config)
    const writer = createWriter(config)
    const listeners = createAppendListeners()
    const commits = createGroupCommit<WriteUnit>({
      steps: writer.steps,
      newUnit: () => ({ db: writer.db, refundWindowMs, appended: false }),
      committed: (units) => {
        if (units.some(({ appended }) => appended)) listeners.notify()
      },
      toFailure: (error) => error,
      maxBatch: MAX_BATCH,
      maxBatchMs: MAX_BATCH_MS,
      maxWaitMs: MAX_WAIT_MS,
    })
    return await createStore({
      reader: reader.db,
      lists: reader.db,
      write: repeated(commits.write),
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
async function prepareDatabase(sockets: Sockets, now: Date, { url, onMigration }: PostgresStoreOptions): Promise<void> {
  const connection = await connect({ ...clientConfig(url, sockets, 0), pooler: 'transaction' })
  await assertUsable(connection)
  await migratePostgres(connection, now, onMigration)
  await connection.end()
}

/** Runs a job again that the server has undone because it met another transaction. */
function repeated(write: Write): Write {
  return async (job) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write(job)
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error
      }
    }
  }
}
