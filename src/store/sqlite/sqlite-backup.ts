import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFailure } from '../store-errors.ts'
import { toStoreFailure } from './sqlite-failure.ts'

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

const OWNER_ONLY = 0o600

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
