import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PlannedRead, ReadClass } from '../domain/reads/read-schedule.ts'

/** What the payments API is to be asked about: a payment, or a link through which no payment is known. */
export type ReadSubject = {
  readonly paymentId: string | null
  /** The payment as it is known. */
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** What was asked for, of a payment that we asked for without a link. */
  readonly payin: DirectPayin | null
  /** Currency of the payment, link or payin, to pick the credentials when there is neither link nor payin. */
  readonly currency: string | null
  /**
   * Deliveries and answers that were recorded of the payment and of its link so far: an answer counts only while this has
   * not changed.
   */
  readonly deliveries: number
  /** Failed or fruitless reads in a row. */
  readonly failures: number
  /** When its read is due; null while none is planned. */
  readonly dueAt: Date | null
}

/** Which due reads are looked for. */
export type DueReadsQuery = {
  /** As `readSiteOf` gives them. */
  readonly readSites: readonly string[]
  readonly readClass: ReadClass
  /** Due at this instant, or before. */
  readonly by: Date
  readonly limit: number
}

export type ReadStore = {
  /** Every site at which a read is planned, as `readSiteOf` gives them. */
  sites(): Promise<string[]>
  /** Subjects of these sites whose read of one class is due, longest due first. */
  due(query: DueReadsQuery): Promise<ReadSubject[]>
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** The subject with this payment id or upstream link uuid. */
  subject(id: string): Promise<ReadSubject | null>
  /**
   * The links, or direct payins, that were made with the same credentials from a subject on, itself first: what the
   * payments API lists beside it. Empty for a payment of which neither is on record.
   */
  nearby(subject: ReadSubject, limit: number): Promise<ReadSubject[]>
  /**
   * Records what a read showed. `superseded` when a delivery or another answer was recorded since the subject was taken:
   * nothing is changed, and the read stays due. `confirmed` when nothing changes: then no read is planned any more, except that of a link
   * which is still open. `fruitless` when the answer told nothing of the subject: it is read again 15 minutes later, and
   * counts as a failure.
   */
  record(subject: ReadSubject, report: PaymentReport, at: Date): Promise<ReadOutcome>
  /**
   * Records that a read told nothing, and when to try again; null for never. A read that a delivery asked for since the
   * subject was taken stays due.
   */
  postpone(subject: ReadSubject, until: Date | null): Promise<void>
  /**
   * Records what an entry of a list shows: what says nothing new counts as a read. `differs` when it says anything else:
   * the subject is to be read by itself, now, as a doubt. `superseded` as for `record`.
   */
  confirmListed(subject: ReadSubject, report: PaymentReport, at: Date): Promise<ListedOutcome>
  /**
   * Plans a read of the subject with this payment id or upstream link uuid, without counting a failure. One that is
   * planned for an earlier instant stays, unless it is less urgent than a doubt.
   */
  schedule(id: string, next: PlannedRead): Promise<void>
  /** How far the reads are behind; cheap enough to be asked every few seconds. */
  backlog(now: Date): Promise<ReadBacklog>
}

export type ReadBacklog = {
  /** Reads of payments, links and agreements that are due, counted up to 10,000. */
  readonly waiting: number
  /** The same by site and class, each counted up to 10,000; without those of which nothing is due. */
  readonly due: readonly DueReads[]
  /**
   * Since when the payment has been unconfirmed that has been so for longest: its read is due and not made, or it is in
   * doubt since it changed last. Null when there is none.
   */
  readonly unconfirmedSince: Date | null
  /** The same for doubts alone, of agreements too: a webhook is to be confirmed, or contradicts what is known. */
  readonly doubtSince: Date | null
}

export type DueReads = {
  /** As `readSiteOf` gives it. */
  readonly readSite: string
  readonly readClass: ReadClass
  readonly count: number
  /** When the first of them fell due. */
  readonly since: Date
}

export type ReadOutcome = 'changed' | 'confirmed' | 'superseded' | 'fruitless'

export type ListedOutcome = 'changed' | 'confirmed' | 'differs' | 'superseded'
