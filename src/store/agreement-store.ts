import type { AgreementPayer, AgreementReport, AgreementStatus } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { DueReadsQuery, ReadOutcome } from './read-store.ts'
import type { PageQuery, Placed } from './store.ts'

export type AgreementStore = {
  byIds(ids: readonly string[]): Promise<Agreement[]>
  byClientTransactionIds(ids: readonly string[]): Promise<Agreement[]>
  /** Who is debited, by agreement id. */
  payers(ids: readonly string[]): Promise<Map<string, AgreementPayer>>
  /** By number; by creation and number where the filter names an instant. Throws `RangeError` for a place of the other order. */
  page(page: PageQuery, filter: AgreementFilter): Promise<Placed<Agreement>[]>
  /** An agreement and the log's head, of one moment. */
  snapshot(id: string): Promise<{ agreement: Agreement; head: number } | null>
}

export type AgreementFilter = {
  readonly statuses?: readonly AgreementStatus[]
  /** When the payments API made it; when we first heard of it, where the payments API does not tell. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
}

/** An agreement that the payments API is to be asked about. */
export type AgreementReadSubject = {
  readonly agreement: Agreement
  /** Callbacks and answers recorded of the agreement so far: an answer counts only while this has not changed. */
  readonly deliveries: number
  /** Failed or fruitless reads in a row. */
  readonly failures: number
  /** When its read is due; null while none is planned. */
  readonly dueAt: Date | null
}

export type AgreementReadStore = {
  /** Ids of the sites at which a read is planned. */
  sites(): Promise<string[]>
  /** Agreements of these sites whose read of one class is due, longest due first. */
  due(query: DueReadsQuery): Promise<AgreementReadSubject[]>
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** The subject with this agreement id or clientTransactionId. */
  subject(id: string): Promise<AgreementReadSubject | null>
  /** Records what a read showed; outcomes as for payments. */
  record(subject: AgreementReadSubject, report: AgreementReport, at: Date): Promise<ReadOutcome>
  /** Records that a read told nothing, and when to try again; null for never. A read that a callback asked for stays due. */
  postpone(subject: AgreementReadSubject, until: Date | null): Promise<void>
}
