import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFailure, StoreUnusableError } from '../store-errors.ts'
import { toStoreFailure } from './sqlite-failure.ts'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/**
 * Makes sure that the database's file exists, in a folder that is made when it is missing, both for the owner alone.
 * Gives the path without symbolic links, so that one file has one lock. Throws `StoreUnusableError`.
 */
export function prepareFile(path: string): string {
  try {
    const folder = dirname(path)
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
    createFile(path)
    return realpathSync(path)
  } catch (error) {
    throw unusable(error)
  }
}

/** Another process has the database open. */
export class LockHeldError extends StoreUnusableError {}

/**
 * Takes the database for this process until the lock is closed. The operating system frees it when the process dies.
 * Throws `LockHeldError` while another process holds it, and `StoreUnusableError` when it cannot be taken otherwise.
 */
export function takeLock(path: string): DatabaseSync {
  const lockPath = `${path}.lock`
  let lock: DatabaseSync | null = null
  try {
    createFile(lockPath)
    lock = new DatabaseSync(lockPath, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    throw unusable(error)
  }
}

/** Says that the database cannot be used and why, without naming the file: a path may tell more than a log should hold. */
export function unusable(error: unknown): StoreUnusableError {
  if (error instanceof StoreUnusableError) return error
  const failure = toStoreFailure(error)
  if (!(failure instanceof StoreFailure))
    return new StoreUnusableError(`The database that DATABASE_URL names cannot be opened (${codeOf(failure)}).`)
  return failure.reason === 'BUSY'
    ? new LockHeldError('The database that DATABASE_URL names is in use: one process at a time may open it.')
    : new StoreUnusableError(`The database that DATABASE_URL names cannot be used (${failure.reason}).`, {
        cause: failure.cause,
      })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.message
}

/**
 * Creates an empty file for the owner alone. One that exists is never opened here: closing it again would free the locks
 * that SQLite holds on it in this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
function createFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', OWNER_ONLY_FILE))
}
