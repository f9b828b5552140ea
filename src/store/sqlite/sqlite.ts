import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import { cacheCommittedRows } from '../committed-rows.ts'
import { createDatabase, createListeners, type Listeners, NO_BRANCHES } from '../create-database.ts'
import { type CommitObserver, type Transaction, createGroupCommit, type GroupCommit, type Db } from '../group-commit.ts'
import type { Database } from '../port.ts'
import { type PruneUnits, rowUnits } from '../retention/retention-queries.ts'
import { clearEnding, diskOf, isEnding, LockHeldError, prepareFile, takeLock, unusable } from './files.ts'
import { type FsyncGuard, guardFsync, type LogSync, openLogSync } from './fsync-guard.ts'
import { createListReads, createReadThread, queriesFrom } from './read-thread.ts'
import {
  createCheckpoint,
  type Connect,
  openReader,
  openWriter,
  type SqliteMigrationOptions,
  transactionSteps,
  toStoreFailure,
} from './sqlite-connection.ts'
import { durableQueries, queriesOn, sqliteTransaction } from './sqlite-dialect.ts'

export type SqliteOptions = SqliteMigrationOptions & {
  /** Path of the database file. The file and its folder are created if they are missing. */
  readonly path: string
  /** Time for the expiry of links and the recorded opening time. Default: the system's clock. */
  readonly clock?: () => Date
  /** Opens a connection. Default: `node:sqlite`. */
  readonly connect?: Connect
  /** Called once if another process that is shutting down has the file open, before waiting for it. */
  readonly onWait?: () => void
  /** Whether rows that were read or written are cached. Default true. */
  readonly cacheRows?: boolean | undefined
  /** Is told of each transaction. */
  readonly observer?: CommitObserver
}

type Closable = DatabaseSync | LogSync

/** Milliseconds between two attempts to take the lock of a process that is shutting down. */
const LOCK_POLL_MS = 50

/**
 * Opens a SQLite file exclusively for this process; waits for a process that has it open and is shutting down. Rejects with
 * `StoreUnusableError` if any other process has the file open, if it cannot be created, if a later version has changed it incompatibly, or
 * if its commits would not be durable.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const { clock = () => new Date(), connect = (path: string) => new DatabaseSync(path) } = options
  const path = prepareFile(options.path)
  const open: Closable[] = [await takeLockOnceFree(path, options.onWait)]
  try {
    clearEnding(path)
    const writer = await openWriter(path, { connect, now: clock(), options })
    open.unshift(writer)
    const reader = openReader(path, connect)
    open.unshift(reader)
    // A connection of a test cannot be used on a thread.
    const [lists, mover] = options.connect === undefined ? [createReadThread(path), createReadThread(path)] : []
    const appended = createListeners<readonly PaymentEvent[]>()
    const log = openLogSync(path)
    // Closed before the connections, because closing the last one removes the file.
    open.unshift(log)
    // Rows can be cached, because no other process writes the file: see `takeLock`.
    const writes = { steps: transactionSteps(writer), transaction: sqliteTransaction(writer) }
    const { rows, steps, transaction } =
      options.cacheRows === false ? { rows: null, ...writes } : cacheCommittedRows(writes.steps, writes.transaction)
    const checkpoint = createCheckpoint(writer, mover === undefined ? null : (pragma) => mover.all(pragma, []))
    const health = guardFsync({ steps, syncLog: log.sync, checkpoint: checkpoint.next })
    const commits = createCommits(transaction, health, { appended, observer: options.observer })
    const queries = durableQueries(queriesOn(reader), health.unsynced)
    const listQueries =
      lists === undefined
        ? queriesOn(reader)
        : queriesFrom(createListReads({ reader, thread: lists, bytes: () => statSync(path).size }))
    return await createDatabase({
      reader: queries,
      lists: durableQueries(listQueries, health.unsynced),
      commits,
      pruneUnits: sqlitePruneUnits(queries),
      onErased: checkpoint.clearLog,
      rows,
      position: 'instr',
      branches: NO_BRANCHES,
      version: process.versions['sqlite'] ?? '',
      appended,
      now: clock,
      databaseNow: async () => clock(),
      assertHealthy: health.assert,
      ...diskOf(path),
      onFatal: health.onFatal,
      async close() {
        await commits.close()
        await Promise.all([lists?.close(), mover?.close()])
        closeAll(open)
      },
    })
  } catch (error) {
    closeAll(open)
    throw unusable(error)
  }
}

async function takeLockOnceFree(path: string, onWait = () => {}): Promise<DatabaseSync> {
  for (let waits = 0; ; waits += 1) {
    // Read before the lock: if the mark is already removed, the lock was released earlier, so that a held lock belongs to another process.
    const isReleasedSoon = isEnding(path)
    try {
      return takeLock(path)
    } catch (error) {
      if (!(error instanceof LockHeldError) || !isReleasedSoon) throw error
    }
    if (waits === 0) onWait()
    await sleep(LOCK_POLL_MS)
  }
}

/**
 * See `GroupCommitOptions`: this driver blocks the event loop while it stores a batch. With a disk that takes two seconds per sync, a
 * pause of a tenth is enough for a webhook to be stored in time; with one that takes milliseconds, it costs nothing.
 */
const SLACK_SHARE = 0.1
const MAX_FAST_BATCH = 64

function createCommits(
  transaction: Transaction,
  { steps, checkpoint }: FsyncGuard,
  { appended, observer }: { appended: Listeners<readonly PaymentEvent[]>; observer: CommitObserver | undefined },
): GroupCommit {
  return createGroupCommit({
    steps,
    transaction,
    onAppended: appended.notify,
    onCommitted: checkpoint,
    toFailure: toStoreFailure,
    slackShare: SLACK_SHARE,
    maxFastBatch: MAX_FAST_BATCH,
    ...(observer === undefined ? {} : { observer }),
  })
}

/** Closes all in order. The lock is the last, so that no other process opens the file while it is in use. */
function closeAll(open: readonly Closable[]): void {
  for (const opened of open) if (!('isOpen' in opened) || opened.isOpen) opened.close()
}

/** Creates the units of a database without partitions. */
function sqlitePruneUnits(reader: Db): PruneUnits {
  return { ...rowUnits(reader), prepare: async () => {}, removeUnit: async () => {} }
}
