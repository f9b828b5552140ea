/**
 * Why the database could not do what it was asked. FULL: there is no room. BUSY: somebody else holds a lock, or it took
 * too long. SYNC: the disk failed to make a commit durable. DOWN: the server cannot be reached, or gave no answer.
 * READ_ONLY: the server takes no writes, or would not keep them. IO, CORRUPT: the disk cannot be read or written. OTHER:
 * anything else.
 */
export type FailureReason = 'FULL' | 'BUSY' | 'SYNC' | 'DOWN' | 'READ_ONLY' | 'IO' | 'CORRUPT' | 'OTHER'

/**
 * The database failed: nothing of the job is recorded, unless the connection was lost while it was committed (DOWN, where
 * there is a server): then nobody knows, and the same job again finds out. `cause` tells what the database reported, without
 * values.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly reason: FailureReason

  constructor(reason: FailureReason, cause: unknown) {
    super(`The store failed (${reason}).`, { cause })
    this.reason = reason
  }
}

/** Too many writers are waiting: nothing was changed, and the same write may be tried again shortly. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'

  constructor() {
    super('Too many writes are waiting for the store.')
  }
}

/** The store was closed before it was asked. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'

  constructor() {
    super('The store is closed.')
  }
}

/** What is to be recorded contradicts what is on record: the caller's mistake, or the payments API's. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError'
}

/** The database cannot be used by this process, whatever is tried: start must stop here. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
}
