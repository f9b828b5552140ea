import type { createLedger } from './ledger.ts'

/**
 * The ledger on its database. If a promise of an operation resolves, its change is durable. If it rejects, nothing was changed, except that
 * after a lost connection to the database (`StoreFailure`, DOWN) the change may have been recorded. Rejects with `StoreFailure` if the
 * database fails, `StoreBusyError` if too many writes wait, `StoreClosedError` after `close`, and `LeaseLostError` if the lease that was given
 * has changed hands. Queries return committed data that is never older than this process's own commits.
 */
export type Store = ReturnType<typeof createLedger>
