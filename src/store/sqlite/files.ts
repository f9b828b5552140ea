import { closeSync, existsSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../lib/make-folder.ts'
import { StoreFailure, StoreUnusableError } from '../store-errors.ts'
import { toStoreFailure } from './sqlite-failure.ts'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/**
 * Creates the database's file and its folder if they are missing, accessible only to the owner. Returns the path without symbolic links,
 * so that one file has one lock. Throws `StoreUnusableError`.
 */
export function prepareFile(path: string): string {
  try {
    makeFolder(dirname(path), OWNER_ONLY_FOLDER)
    createFile(path)
    return realpathSync(path)
  } catch (error) {
    throw unusable(error)
  }
}

/** Another process has the database open. */
export class LockHeldError extends StoreUnusableError {}

/**
 * Locks the database for this process until the returned lock is closed. The operating system releases it when the process ends. Throws
 * `LockHeldError` if another process holds it, and `StoreUnusableError` for any other failure.
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

/** Returns the error that names the cause but not the file, because a path may contain information that must not be logged. */
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
 * Creates an empty file for the owner only. An existing file is never opened here: closing it again would release the locks
 * that SQLite holds on it in this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
function createFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', OWNER_ONLY_FILE))
}
