import type { DirectPayin } from '../domain/direct-payin.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { PaymentReport } from '../domain/payment-report.ts'

/** What the service is to be asked about: a payment, or a link through which no payment is known. */
export type ReadSubject = {
  readonly paymentId: string | null
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

export type ReadStore = {
  /** Subjects whose read is due, longest due first: the first ones, or those that come behind `after`. */
  due(now: Date, limit: number, after?: ReadSubject | null): Promise<ReadSubject[]>
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** The subject with this payment id or upstream link uuid. */
  subject(id: string): Promise<ReadSubject | null>
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
   * Plans a read of the subject with this payment id or upstream link uuid, without counting a failure. One that is
   * planned for an earlier instant stays.
   */
  schedule(id: string, at: Date): Promise<void>
  /**
   * What is not final: payments of a rank below 6, and links through which no payment is known and of which the service
   * has not said that they are over. The one that was confirmed longest ago comes first. A walk from page to page meets
   * each once, also while reads confirm what it has met: what is confirmed or made after its start is left out.
   */
  unfinal(after: UnfinalCursor | null, limit: number): Promise<Unfinal[]>
  /** How far the reads are behind; cheap enough to be asked every few seconds. */
  backlog(now: Date): Promise<ReadBacklog>
}

export type ReadBacklog = {
  /** Reads of payments, links and agreements that are due, counted up to 10,000. */
  readonly waiting: number
  /**
   * Since when the payment has been unconfirmed that has been so for longest: its read is due and not made, or it is in
   * doubt since it changed last. Null when there is none.
   */
  readonly unconfirmedSince: Date | null
}

/** Where a walk over what is not final stands; it means something to this store alone. */
export type UnfinalCursor = string

export type Unfinal = {
  /** Payment id or upstream link uuid. */
  readonly id: string
  readonly cursor: UnfinalCursor
}

export type ReadOutcome = 'changed' | 'confirmed' | 'superseded' | 'fruitless'
