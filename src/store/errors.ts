/**
 * Why the database could not do what it was asked. FULL: there is no room. BUSY: somebody else holds a lock. SYNC: the
 * disk failed to make a commit durable. IO, CORRUPT: the file cannot be read or written. OTHER: anything else.
 */
export type FailureReason = 'FULL' | 'BUSY' | 'SYNC' | 'IO' | 'CORRUPT' | 'OTHER'

/** The database failed: nothing of the job is recorded. `cause` is the database's own error, which carries no values. */
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

/** What is to be recorded contradicts what is on record: the caller's mistake, or the service's. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError'
}

/** The database cannot be used by this process, whatever is tried: start must stop here. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
}
