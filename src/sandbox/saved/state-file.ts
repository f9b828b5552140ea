import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../lib/make-folder.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { restoreRows, savedRows } from './saved-state.ts'

/** The rows of a saved state: encoded values by their names, such as `link:D4H0OT5D`. */
export type SavedRows = ReadonlyMap<string, string>

/** A SQLite file with the state of one sandbox. */
type StateFile = {
  /** Returns all rows, in the order in which they were first written. */
  read(): SavedRows
  /** Writes the rows that have changed since the last call, and removes those that are gone, in one transaction. */
  write(rows: SavedRows): void
  close(): void
}

/** Milliseconds to wait for another process that is writing. */
const BUSY_MS = 5_000

/** Opens the file, and creates it with its folder if it does not exist. Throws if it cannot be opened or is no database. */
function openStateFile(path: string): StateFile {
  // The state contains what payers entered: it is for its owner alone.
  makeFolder(dirname(path), 0o700)
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: BUSY_MS })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS state (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL)',
  )
  const put = database.prepare(
    'INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const remove = database.prepare('DELETE FROM state WHERE name = ?')
  const select = database.prepare('SELECT name, value FROM state ORDER BY number')
  let written: SavedRows = new Map()
  return {
    read() {
      written = new Map(select.all().map(({ name, value }) => [String(name), String(value)]))
      return written
    },
    write(rows) {
      const changed = [...rows].filter(([name, value]) => written.get(name) !== value)
      const gone = [...written.keys()].filter((name) => !rows.has(name))
      if (changed.length + gone.length === 0) return
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const [name, value] of changed) put.run(name, value)
        for (const name of gone) remove.run(name)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
      written = rows
    },
    close: () => database.close(),
  }
}

/** Milliseconds from a change to the write of it. */
const AFTER_CHANGE_MS = 200

/** A write waits for at least so many times the duration of the last one, so that a large state does not slow the sandbox. */
const SHARE = 20

/** Restores the state of a file, and keeps the file up to date. Returns the function that writes the last state and closes it. */
export function keepState(store: SandboxStore, path: string): () => void {
  const file = openStateFile(path)
  restoreRows(store, file.read())
  let timer: NodeJS.Timeout | undefined
  let lastMs = 0
  const write = (): void => {
    timer = undefined
    const started = performance.now()
    file.write(savedRows(store))
    lastMs = performance.now() - started
  }
  const stopListening = store.changes.listen(() => {
    timer ??= setTimeout(write, Math.max(AFTER_CHANGE_MS, lastMs * SHARE)).unref()
  })
  let isClosed = false
  return () => {
    if (isClosed) return
    isClosed = true
    stopListening()
    clearTimeout(timer)
    write()
    file.close()
  }
}
