import type { AgreementPayer, AgreementReport, AgreementStatus } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Lease } from './lease-store.ts'
import type { DueReadsQuery, ReadOutcome } from './read-store.ts'
import type { PageQuery, Placed } from './store.ts'

export type AgreementStore = {
  byIds(ids: readonly string[]): Promise<Agreement[]>
  byClientTransactionIds(ids: readonly string[]): Promise<Agreement[]>
  /** Payers by agreement id. */
  payers(ids: readonly string[]): Promise<Map<string, AgreementPayer>>
  /** By number; by creation and number where the filter names an instant. Throws `RangeError` for a place of the other order. */
  page(page: PageQuery, filter: AgreementFilter): Promise<Placed<Agreement>[]>
  /** Returns an agreement and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ agreement: Agreement; head: number } | null>
}

export type AgreementFilter = {
  readonly statuses?: readonly AgreementStatus[]
  /** When it was created at the payments API; if that is unknown, when it was first recorded. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
}

/** An agreement that is to be read from the payments API. */
export type AgreementReadSubject = {
  readonly agreement: Agreement
  /** Callbacks and responses recorded for the agreement so far. A response is applied only if this has not changed meanwhile. */
  readonly deliveries: number
  /** Consecutive reads that failed or returned nothing. */
  readonly failures: number
  /** When its read is due; null if none is planned. */
  readonly dueAt: Date | null
}

export type AgreementReadStore = {
  /** Returns the ids of the sites at which a read is planned. */
  sites(): Promise<string[]>
  /** Returns agreements of these sites with a due read of one class, the longest due first. */
  due(query: DueReadsQuery): Promise<AgreementReadSubject[]>
  /** Returns when the next planned read is due; null if none is planned. */
  nextDue(): Promise<Date | null>
  /** Returns the subject with this agreement id or clientTransactionId. */
  subject(id: string): Promise<AgreementReadSubject | null>
  /** Records the result of a read; outcomes and lease as for payments. */
  record(subject: AgreementReadSubject, report: AgreementReport, at: Date, lease?: Lease | null): Promise<ReadOutcome>
  /** Records a read without a result, and when to retry it; null for never. A read that a callback requested stays due. */
  postpone(subject: AgreementReadSubject, until: Date | null, lease?: Lease | null): Promise<void>
}
