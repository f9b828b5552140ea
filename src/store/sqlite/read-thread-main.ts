import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadAnswer, ThreadQuery } from './read-thread.ts'
import { openReader, cachedStatements } from './sqlite-connection.ts'

/** The thread of `createReadThread`: runs one query after the other on its own connection, until it receives null. */
const database = openReader(String(workerData), (path) => new DatabaseSync(path))
const prepare = cachedStatements((sql) => database.prepare(sql))

parentPort?.on('message', (request: ThreadQuery | null) => {
  if (request !== null) parentPort?.postMessage(answer(request), [])
  else {
    database.close()
    parentPort?.close()
  }
})

function answer({ id, sql, parameters }: ThreadQuery): ReadAnswer {
  try {
    return { id, rows: prepare(sql).all(...(parameters as SQLInputValue[])) }
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    return { id, failure: { message, code, errcode } }
  }
}
