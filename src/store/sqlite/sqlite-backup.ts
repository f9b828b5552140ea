import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFailure } from '../store-errors.ts'
import { toStoreFailure } from './sqlite-failure.ts'

export type BackupOptions = {
  /** Path of the database. The process that has it open goes on meanwhile. */
  readonly from: string
  /** Path of the copy; nothing may be there. */
  readonly to: string
}

/** There is no backup. The message names no path. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/**
 * Copies a database as it is at one moment, while it is read and written, into one file for the owner alone, and checks
 * the copy from end to end. Gives the position of its last event. Throws `BackupError`, and leaves nothing behind.
 *
 * The copy is a log of its own. It has another `logId`, so that nobody continues from a cursor of the log that it was
 * taken from: the two grow apart. And its heartbeat lies far back, so that whoever starts on it reads back what has
 * changed since.
 */
export function backUp({ from, to }: BackupOptions): number {
  if (!existsSync(from)) throw new BackupError('There is no database to back up.')
  if (existsSync(to)) throw new BackupError('There is a file already where the backup is to be.')
  const unfinished = `${to}.unfinished`
  try {
    // Made here, since SQLite would make it readable for others.
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

/** In one transaction that reads: it holds up no writer, and sees none. */
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

/** What SQLite writes into a new file it leaves to the operating system to keep. */
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
