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
 * Wraps an error of SQLite in a `StoreFailure`, and gives `StoreClosedError` for the use of a closed connection; every
 * other error is handed back as it is.
 */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === CLOSED) return new StoreClosedError()
  if (!isSqliteError(error)) return error
  return new StoreFailure(reasonOf(error.errcode), error)
}

/** Node's own code for a statement of a connection that is not open. */
const CLOSED = 'ERR_INVALID_STATE'

function reasonOf(code: number): FailureReason {
  return SYNC_CODES.has(code) ? 'SYNC' : (REASONS[code & 0xff] ?? 'OTHER')
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}
