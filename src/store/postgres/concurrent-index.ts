import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresConnection } from './postgres-connection.ts'

const CREATE = /^(?:\s*--.*\n)*\s*CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+) /i

/** Milliseconds between two looks at an index that another session is building. */
const POLL_MS = 250
/** How often an index is built. A second attempt is needed if another session's attempt ended in between. */
const MAX_ATTEMPTS = 3

/** Returns the name of the index that a statement builds concurrently; null for another statement. */
export function concurrentIndex(sql: string): string | null {
  return CREATE.exec(sql)?.[1] ?? null
}

/**
 * Builds an index with a statement of which the name of the index is known. If an earlier attempt has left it, it is kept if it is
 * valid and dropped otherwise. The server goes on with the statement of a process that was killed: its end is awaited.
 */
export async function buildIndex(connection: PostgresConnection, index: string, sql: string): Promise<void> {
  for (let attempts = 0; ;) {
    const state = await indexState(connection, index)
    if (state === 'valid') return
    if (state === 'being built') await sleep(POLL_MS)
    else if (state === 'invalid') await connection.run(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`)
    else if (attempts < MAX_ATTEMPTS) {
      attempts += 1
      await connection.run(sql)
    } else throw new Error(`The index ${index} could not be built.`)
  }
}

async function indexState(
  connection: PostgresConnection,
  index: string,
): Promise<'absent' | 'valid' | 'invalid' | 'being built'> {
  const { rows } = await connection.run(`
    SELECT indisvalid AS valid,
      EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) AS building
    FROM pg_index WHERE indexrelid = to_regclass('${index}')`)
  const [row] = rows
  if (row === undefined) return 'absent'
  if (row['valid'] === true) return 'valid'
  return row['building'] === true ? 'being built' : 'invalid'
}
