import {
  closeSync,
  existsSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  fsyncSync,
  renameSync,
} from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from 'payments-subgraph-lib/make-folder'
import type { Database } from '../port.ts'
import { StoreFailure, StoreUnusableError } from '../store-errors.ts'
import { toStoreFailure } from './sqlite-connection.ts'

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

/** Room that commands leave for the records of webhooks and of their own results, in bytes; on a small disk a share of it. */
const RESERVE = 4 * 2 ** 20
const RESERVED_SHARE = 1 / 16
/** Milliseconds for which what the system said of the disk is used. */
const FRESH_MS = 1_000

/** Returns what a database tells of its file and of the disk below. */
export function diskOf(path: string): Pick<Database, 'assertRoom' | 'figures'> {
  let known: { readonly at: number; readonly free: number; readonly size: number } | null = null
  const disk = async () => {
    if (known !== null && performance.now() - known.at < FRESH_MS) return known
    const { bavail, blocks, bsize } = await statfs(dirname(path))
    return (known = { at: performance.now(), free: bavail * bsize, size: blocks * bsize })
  }
  return {
    async assertRoom() {
      const { free, size } = await disk()
      if (free < Math.min(RESERVE, size * RESERVED_SHARE)) throw new StoreFailure('FULL', null, 'ENOSPC')
    },
    async figures() {
      const [database, log, { free }] = await Promise.all([stat(path), stat(`${path}-wal`), disk()])
      return { sizeBytes: database.size, writeAheadBytes: log.size, diskFreeBytes: free, connections: null }
    },
  }
}

const OWNER_ONLY = 0o600
/** Validity of a mark in milliseconds, longer than a graceful shutdown may take: a process that is killed does not remove its mark. */
const LONGEST_MS = 20_000
/** File times have a finer resolution than the clock, and may be slightly ahead of it. */
const CLOCK_STEP_MS = 1_000

/**
 * Marks a database as about to be released: a process that starts meanwhile waits for it instead of failing. Returns the function that
 * removes the mark.
 */
export function markEnding(path: string): () => void {
  const mark = markOf(path)
  try {
    // Not empty: its modification time counts, and writing nothing to an empty file would not change it.
    writeFileSync(mark, 'ending\n', { mode: OWNER_ONLY })
  } catch {
    // Without the mark the next process fails at once; but a full disk must not delay this shutdown.
  }
  return () => removeMark(mark)
}

/** Returns whether a database was marked as about to be released in the last 20 seconds. */
export function isEnding(path: string): boolean {
  const age = Date.now() - (statSync(markOf(path), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity)
  return age > -CLOCK_STEP_MS && age < LONGEST_MS
}

/** Removes the mark of an earlier process. Only for the process that holds the lock. */
export function clearEnding(path: string): void {
  removeMark(markOf(path))
}

function markOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.ending`
}

function removeMark(mark: string): void {
  try {
    rmSync(mark, { force: true })
  } catch {
    // It is valid for at most 20 seconds.
  }
}

export type BackupOptions = {
  /** Path of the database. Another process may have it open and write to it meanwhile. */
  readonly from: string
  /** Path of the copy; it must not exist. */
  readonly to: string
}

/** No backup was created. The message contains no path. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/**
 * Copies a snapshot of a database, while it is read and written, into one file for the owner only, and checks the integrity of the copy.
 * Returns the position of its last event. If it fails, throws `BackupError` and removes the unfinished copy.
 *
 * The copy is a separate log. It has another `logId`, so that no client continues from a cursor of the original: the two logs diverge. Its
 * heartbeat is set to the epoch, so that a process that starts with the copy sweeps everything that may have changed since.
 */
export function backUp({ from, to }: BackupOptions): number {
  if (!existsSync(from)) throw new BackupError('There is no database to back up.')
  if (existsSync(to)) throw new BackupError('There is a file already where the backup is to be.')
  const unfinished = `${to}.unfinished`
  try {
    // Created here, because SQLite would make it readable for others.
    closeSync(openSync(unfinished, 'wx', OWNER_ONLY))
  } catch (error) {
    throw failed(error)
  }
  try {
    copy(from, unfinished)
    const head = makeOwnLog(unfinished)
    sync(unfinished)
    renameSync(unfinished, to)
    sync(dirname(to))
    return head
  } catch (error) {
    for (const suffix of ['', '-journal']) rmSync(unfinished + suffix, { force: true })
    throw failed(error)
  }
}

/** Copies in one read transaction: it does not block writers, and does not see later commits. */
function copy(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
}

function makeOwnLog(path: string): number {
  const database = new DatabaseSync(path)
  try {
    const integrity = database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
    if (integrity !== 'ok') throw new BackupError('The database is damaged: its copy contradicts itself.')
    database.exec('UPDATE meta SET log_id = lower(hex(randomblob(16))), heartbeat_at = 0')
    return Number(database.prepare('SELECT position FROM log_head').get()?.['position'])
  } finally {
    database.close()
  }
}

/** Syncs a file or folder, because SQLite does not sync the file of `VACUUM INTO`. */
function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function failed(error: unknown): BackupError {
  if (error instanceof BackupError) return error
  const failure = toStoreFailure(error)
  if (failure instanceof StoreFailure)
    return new BackupError(`The backup failed (${failure.reason}).`, { cause: failure })
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new BackupError(`The backup failed (${code}).`, { cause: error })
}
