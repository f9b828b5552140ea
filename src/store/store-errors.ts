/**
 * Why the database failed. FULL: no space left. BUSY: a lock is held by another process, or a timeout. SYNC: the disk failed to make a
 * commit durable. DOWN: the server cannot be reached or did not answer. READ_ONLY: the server accepts no writes, or would not keep
 * them. IO, CORRUPT: the disk cannot be read or written. OTHER: anything else.
 */
export type FailureReason = 'FULL' | 'BUSY' | 'SYNC' | 'DOWN' | 'READ_ONLY' | 'IO' | 'CORRUPT' | 'OTHER'

/**
 * The database failed, and nothing of the job is recorded. Exception: if the connection to a server was lost during the commit (DOWN),
 * the outcome is unknown, and repeating the job shows it. `cause` is the database's own error, without values.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly reason: FailureReason
  /** Code of the database or the system, such as `SQLITE_FULL`, a SQLSTATE or `ENOSPC`; null without one. */
  readonly code: string | null

  constructor(reason: FailureReason, cause: unknown, code: string | null = codeOf(cause)) {
    super(`The store failed (${reason}).`, { cause })
    this.reason = reason
    this.code = code
  }
}

function codeOf(cause: unknown): string | null {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null
}

/** Too many writes are waiting. Nothing was changed, and the same write may be retried shortly. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'

  constructor() {
    super('Too many writes are waiting for the store.')
  }
}

/** The store is closed. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'

  constructor() {
    super('The store is closed.')
  }
}

/** Returns whether an error is about the database itself, so that the same job may succeed later; of any other error, the job is the cause. */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof StoreBusyError ||
    error instanceof StoreClosedError ||
    (error instanceof StoreFailure && error.reason !== 'OTHER')
  )
}

/** What is to be recorded contradicts what is recorded: a mistake of the caller or of the payments API. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError'
}

/** A page of a list begins at a place of the same list in its other order. */
export class PlaceOfOtherOrderError extends RangeError {
  override readonly name = 'PlaceOfOtherOrderError'
}

/** Another process has the lease under which something was to be recorded. Nothing was changed. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'

  constructor() {
    super('Another process has the lease.')
  }
}

/** This process cannot use the database, and a retry does not help: the start has to fail. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
}
