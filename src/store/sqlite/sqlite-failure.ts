import { type FailureReason, StoreClosedError, StoreFailure } from '../store-errors.ts'

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte of an extended code. */
const REASONS: Readonly<Record<number, FailureReason>> = {
  5: 'BUSY',
  6: 'BUSY',
  10: 'IO',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'IO',
  26: 'CORRUPT',
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const SYNC_CODES: ReadonlySet<number> = new Set([1034, 1290])

/**
 * Converts an error of SQLite to a `StoreFailure`, and the use of a closed connection to `StoreClosedError`. Returns any other error
 * unchanged.
 */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === CLOSED) return new StoreClosedError()
  if (!isSqliteError(error)) return error
  return new StoreFailure(reasonOf(error.errcode), error)
}

/** Code of Node.js for a statement on a closed connection. */
const CLOSED = 'ERR_INVALID_STATE'

function reasonOf(code: number): FailureReason {
  return SYNC_CODES.has(code) ? 'SYNC' : (REASONS[code & 0xff] ?? 'OTHER')
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}
