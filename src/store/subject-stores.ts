import type { AgreementPayer, AgreementReport, AgreementStatus } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { GatewayPayment, GatewayPaymentStatus } from '../domain/gateway/gateway-payment.ts'
import type { PayoutPayee, PayoutReport, PayoutStatus } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'
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

/** What is stored of the reads of a subject. */
type ReadState = {
  /** Callbacks and responses recorded for the subject so far. A response is applied only if this has not changed meanwhile. */
  readonly deliveries: number
  /** Consecutive reads that failed or returned nothing. */
  readonly failures: number
  /** When its read is due; null if none is planned. */
  readonly dueAt: Date | null
}

/** An agreement that is to be read from the payments API. */
export type AgreementReadSubject = ReadState & { readonly agreement: Agreement }

/** A payout that is to be read from the payments API. */
export type PayoutReadSubject = ReadState & { readonly payout: Payout }

type SubjectReadStore<Of, Report> = {
  /** Returns the ids of the sites at which a read is planned. */
  sites(): Promise<string[]>
  /** Returns subjects of these sites with a due read of one class, the longest due first. */
  due(query: DueReadsQuery): Promise<Of[]>
  /** Returns when the next planned read is due; null if none is planned. */
  nextDue(): Promise<Date | null>
  /** Returns the subject with this id; an agreement also by its clientTransactionId. */
  subject(id: string): Promise<Of | null>
  /** Records the result of a read; outcomes and lease as for payments. */
  record(subject: Of, report: Report, at: Date, lease?: Lease | null): Promise<ReadOutcome>
  /** Records a read without a result, and when to retry it; null for never. A read that a callback requested stays due. */
  postpone(subject: Of, until: Date | null, lease?: Lease | null): Promise<void>
}

export type AgreementReadStore = SubjectReadStore<AgreementReadSubject, AgreementReport>
export type PayoutReadStore = SubjectReadStore<PayoutReadSubject, PayoutReport>

/** Payouts that were made here. */
export type PayoutStore = {
  byIds(ids: readonly string[]): Promise<Payout[]>
  /** Payees by payout id; none of those that were erased. */
  payees(ids: readonly string[]): Promise<Map<string, readonly PayoutPayee[]>>
  /** Ids of the sites, by payout id, of payouts of which only this is stored: earlier versions recorded no more. */
  sites(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Only payouts whose amount and currency are known. By number; by creation and number where the filter names an instant. Throws
   * `RangeError` for a place of the other order.
   */
  page(page: PageQuery, filter: PayoutFilter): Promise<Placed<Payout>[]>
  /** Returns a payout and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ payout: Payout; head: number } | null>
}

export type PayoutFilter = {
  readonly statuses?: readonly PayoutStatus[]
  /** The merchant's own id of the batch. */
  readonly reference?: string
  readonly methodCode?: string
  readonly currency?: string
  readonly site?: string
  /** When it was first recorded. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
}

/** Gateway payments that were started here. */
export type GatewayPaymentStore = {
  byIds(ids: readonly string[]): Promise<GatewayPayment[]>
  /**
   * By number; by creation and number where the filter names an instant. Throws `RangeError` for a place of the other order.
   */
  page(page: PageQuery, filter: GatewayPaymentFilter): Promise<Placed<GatewayPayment>[]>
  /** Returns a gateway payment and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ gatewayPayment: GatewayPayment; head: number } | null>
}

export type GatewayPaymentFilter = {
  readonly statuses?: readonly GatewayPaymentStatus[]
  /** The merchant's own id of the order. */
  readonly orderId?: string
  /** When it was first recorded. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
}
