import { once } from 'node:events'
import { extname } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { StoreBusyError, StoreClosedError, StoreFailure } from '../store-errors.ts'
import type { Tables } from '../tables.ts'
import { cachedStatements, toStoreFailure } from './sqlite-connection.ts'
import { LocklessAdapter } from './sqlite-dialect.ts'

/** A thread with its own reading connection: slow queries there do not block the event loop of the process. */
export type ReadThread = {
  /**
   * Returns the rows of a query on the data that is committed when it begins. Rejects like the store, with `StoreBusyError` if too many
   * queries are queued. A thread that ended is replaced at the next query.
   */
  all(sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Rejects all pending queries at once. Resolves when the running query has ended, because it cannot be cancelled. */
  close(): Promise<void>
}

/** The messages to and from the thread. */
export type ThreadQuery = { readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] }
export type ReadAnswer = { readonly id: number } & (
  | { readonly rows: unknown[] }
  | { readonly failure: { readonly message: string; readonly code: unknown; readonly errcode: unknown } }
)

/** After compilation the file has another extension. */
const MAIN = new URL(`./read-thread-main${extname(import.meta.url)}`, import.meta.url)

/** Maximum number of pending queries: more than the requests in flight may have, of which the overload protection bounds the number. */
const MAX_WAITING = 20_000

/**
 * Number of queries that the thread has at once: enough that it need not wait for the event loop, and no more answers arrive in one turn of
 * it.
 */
const MAX_POSTED = 8

type Waiting = {
  readonly query: ThreadQuery
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** Creates a read thread, which starts with its first query. */
export function createReadThread(path: string): ReadThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let closed = false
  // Ids increase, and the thread answers in their order.
  let lastId = 0
  let lastPosted = 0
  let lastAnswered = 0

  const rejectAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    lastPosted = lastAnswered = lastId
  }
  const postNext = (): void => {
    while (lastPosted < lastId && lastPosted - lastAnswered < MAX_POSTED) {
      lastPosted += 1
      const query = waiting.get(lastPosted)?.query
      if (query !== undefined) worker?.postMessage(query, [])
    }
  }
  const start = (): Worker => {
    const started = new Worker(MAIN, { workerData: path })
    started.on('message', (answer: ReadAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      lastAnswered = answer.id
      // In the next turn: this one goes on as long as there are answers, up to a thousand of them.
      if (lastPosted < lastId) setImmediate(postNext)
      if (waiting.size === 0) started.unref()
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(toStoreFailure(Object.assign(new Error(answer.failure.message), answer.failure)))
    })
    // The exit event follows, and rejects the pending queries.
    started.on('error', () => {})
    started.on('exit', () => {
      if (worker === started) worker = null
      rejectAll(new StoreFailure('OTHER', null))
    })
    return started
  }

  return {
    async all(sql, parameters) {
      if (closed) throw new StoreClosedError()
      if (waiting.size >= MAX_WAITING) throw new StoreBusyError()
      const id = (lastId += 1)
      worker ??= start()
      worker.ref()
      return new Promise((resolve, reject) => {
        waiting.set(id, { query: { id, sql, parameters }, resolve, reject })
        postNext()
      })
    },
    async close() {
      closed = true
      rejectAll(new StoreClosedError())
      if (worker === null) return
      const exit = once(worker, 'exit')
      worker.ref()
      worker.postMessage(null, [])
      await exit
    },
  }
}

/** Up to this many bytes of a database, no query takes long, whatever it has to read. */
const MAX_SMALL_BYTES = 32 * 1024 * 1024
/** Share of its time that the event loop may spend on queries. */
const SHARE = 0.05
/** By how much they may exceed it, in milliseconds, before they run on the thread. */
const MAX_EXCESS_MS = 100
/** Milliseconds for which the size of a database is taken to be the same. */
const SAME_SIZE_MS = 1_000

type ListReads = {
  /** Blocks the event loop. */
  readonly reader: DatabaseSync
  readonly thread: Pick<ReadThread, 'all'>
  /** Returns the size of the database. */
  readonly bytes: () => number
}

/**
 * Returns a function that runs the queries of a small database on `reader` as long as they are few and short, and all others on the thread:
 * its 13 MB are for those who need it.
 */
export function createListReads({ reader, thread, bytes }: ListReads): ReadThread['all'] {
  const prepare = cachedStatements((sql) => reader.prepare(sql))
  let isForThread = false
  let measuredAt = -Infinity
  let excessMs = 0
  let lastBegun = performance.now()
  return async (sql, parameters) => {
    const begun = performance.now()
    if (!isForThread && begun - measuredAt > SAME_SIZE_MS) {
      measuredAt = begun
      isForThread = bytes() > MAX_SMALL_BYTES
    }
    isForThread ||= excessMs > MAX_EXCESS_MS
    if (isForThread) return thread.all(sql, parameters)
    excessMs = Math.max(0, excessMs - (begun - lastBegun) * SHARE)
    lastBegun = begun
    try {
      return prepare(sql).all(...(parameters as SQLInputValue[]))
    } catch (error) {
      throw toStoreFailure(error)
    } finally {
      excessMs += performance.now() - begun
    }
  }
}

/** Creates queries whose rows `all` returns. */
export function queriesFrom(all: ReadThread['all']): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      return { rows: (await all(sql, parameters)) as Row[] }
    },
    streamQuery() {
      throw new Error('Nothing here reads row by row.')
    },
  }
  const noTransaction = () => Promise.reject(new Error('The thread only reads.'))
  const nothing = () => Promise.resolve()
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new LocklessAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: () => Promise.resolve(connection),
        releaseConnection: nothing,
        beginTransaction: noTransaction,
        commitTransaction: noTransaction,
        rollbackTransaction: noTransaction,
        destroy: nothing,
      }),
    },
  })
}
