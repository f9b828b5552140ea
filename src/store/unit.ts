import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Where a query may run: on the connection that reads, or inside a transaction that writes. */
export type Db = Kysely<Tables>

/** What a write works with: queries inside its transaction, and a note for those who follow the log. */
export type WriteUnit = {
  readonly db: Db
  /** How long after its last change a payment is polled, in milliseconds. */
  readonly refundWindowMs: number
  /** Set by whoever appends an event. */
  appended: boolean
}

/** Runs a job in one transaction, and resolves once it is durable. A job that throws has changed nothing. */
export type Write = <Result>(job: (unit: WriteUnit) => Promise<Result>) => Promise<Result>
