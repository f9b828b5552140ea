import type { Command } from '../domain/command.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { Disposition, Payment } from '../domain/payment.ts'
import type { PaymentEvent, PaymentEventKind } from '../domain/payment-event.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { Payer, PaymentReport } from '../domain/payment-report.ts'
import type { PaymentPhase } from '../domain/payment-status.ts'

/**
 * Everything that must outlive the process: the log of events, the inbox of deliveries, the state that they have made,
 * and the commands that are under way. Every promise that resolves is durable; a promise that rejects has changed nothing.
 * Rejects with `StoreFailure` when the database fails, `StoreBusyError` when too many writes wait, `StoreClosedError` after
 * `close`.
 * What is read is committed, and never older than what this process has seen committed.
 */
export type Store = {
  readonly log: EventLog
  readonly inbox: Inbox
  readonly links: LinkStore
  readonly payments: PaymentStore
  readonly commands: CommandStore
  readonly reads: ReadStore
  /** Random id of this log, made with the database: a cursor of another log can be told by it. */
  readonly logId: string
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The append-only log. Positions rise in the order of the commits, so a reader that follows them skips nothing. */
export type EventLog = {
  /** Position of the last committed event; 0 while the log is empty. */
  head(): Promise<number>
  /** Events after a position, in order, at most `limit` (1 to 1,000). */
  read(after: number, limit: number, filter?: EventFilter): Promise<PaymentEvent[]>
  byIds(ids: readonly string[]): Promise<PaymentEvent[]>
  /** Calls the listener after each commit that appended events. Gives the function that ends it. */
  onAppend(listener: () => void): () => void
}

export type EventFilter = {
  readonly streamIds?: readonly string[]
  readonly paymentIds?: readonly string[]
  /** Upstream link uuids. */
  readonly linkIds?: readonly string[]
  readonly kinds?: readonly PaymentEventKind[]
}

export type Inbox = {
  /**
   * Stores a webhook and applies what it says, in one transaction. The same bytes a second time only count an attempt
   * (and ask for a read where the domain says so).
   */
  receive(delivery: IncomingDelivery): Promise<DeliveryOutcome>
  /** True when `ref` is the correlator of an attempt that was recorded, whatever became of it. */
  knowsRef(ref: string): Promise<boolean>
  page(page: Page, filter: DeliveryFilter): Promise<Delivery[]>
}

export type IncomingDelivery = {
  /** Keyed hashes of the raw body under every live key; the first is stored. */
  readonly bodyHashes: readonly [string, ...string[]]
  /** Correlator that the address carried; null for the merchant's default address. */
  readonly ref: string | null
  /** The body without secrets and payer data, as JSON text; null where it was no JSON object. */
  readonly body: string | null
  /** Null when the body is authentic but unusable: it is kept as QUARANTINED. */
  readonly report: PaymentReport | null
  readonly receivedAt: Date
}

export type DeliveryOutcome = {
  readonly disposition: Disposition
  /** The same bytes had come before. */
  readonly repeat: boolean
  /** A read of the payment is due now. */
  readonly readDue: boolean
}

export type DeliveryFilter = {
  readonly subjectIds?: readonly string[]
  readonly dispositions?: readonly Disposition[]
}

/** A page of a list, newest first: rows whose number is below `before`. */
export type Page = { readonly limit: number; readonly before: number | null }

/** A row with its number: rises with every new row, never changes, and so serves as a cursor. */
export type Numbered<Row> = { readonly number: number; readonly row: Row }

export type LinkStore = {
  byIds(ids: readonly string[]): Promise<PaymentLink[]>
  byRefs(refs: readonly string[]): Promise<PaymentLink[]>
  page(page: Page, filter: LinkFilter): Promise<Numbered<PaymentLink>[]>
  /** A link, the payment that speaks for it, and the log's head, all of one moment: what a snapshot is made of. */
  snapshot(id: string): Promise<{ link: PaymentLink; payment: Payment | null; head: number } | null>
}

export type LinkFilter = {
  readonly reference?: string
  readonly createdFrom?: Date
  readonly createdBefore?: Date
  /** Phases of the payment that speaks for the link; IN_PROGRESS also holds links without a payment that have not expired. */
  readonly phases?: readonly PaymentPhase[]
}

export type PaymentStore = {
  byIds(ids: readonly string[]): Promise<Payment[]>
  /** Payers by payment id. */
  payers(paymentIds: readonly string[]): Promise<Map<string, Payer>>
  /** Only payments whose amount is known. */
  page(page: Page, filter: PaymentFilter): Promise<Numbered<Payment>[]>
  snapshot(id: string): Promise<{ payment: Payment; link: PaymentLink | null; head: number } | null>
}

export type PaymentFilter = {
  /** The link's reference, or the merchant's reference that the payment itself carries. */
  readonly reference?: string
  readonly updatedFrom?: Date
  readonly updatedBefore?: Date
  readonly phases?: readonly PaymentPhase[]
}

export type CommandStore = {
  find(mutation: string, key: string): Promise<Command | null>
  /**
   * Records that the service is about to be asked. Gives the command as recorded, or the one that already holds the key:
   * then `fresh` is false and nothing was changed.
   */
  begin(command: NewCommand): Promise<{ command: Command; fresh: boolean }>
  /** Takes an UNKNOWN command up again under a new correlator. False when it was not UNKNOWN any more. */
  retry(id: string, attempt: { ref: string; owner: string; leaseUntil: number; sentAt: number }): Promise<boolean>
  /** Forgets a command of which it is certain that the service did nothing. The correlators of its attempts stay known. */
  forget(id: string): Promise<void>
  reject(id: string, refusal: unknown): Promise<void>
  markUnknown(id: string): Promise<void>
  /**
   * Ends a command with the link it made: the link, its LINK_CREATED event and the command's result in one transaction.
   * A payment that came in through the link before is taken over. A second time for the same link changes nothing.
   * Rejects with `StoreConflictError` for a command that ended otherwise, and for a link that is on record already.
   */
  settleWithLink(id: string, link: PaymentLink, at: Date): Promise<void>
  /** Turns every SENT command whose lease ended before `now` into UNKNOWN. Gives how many. */
  expireLeases(now: number): Promise<number>
}

export type NewCommand = Omit<Command, 'state' | 'result' | 'attempt'>

/** What the service is to be asked about: a payment, or a link through which no payment is known. */
export type ReadSubject = {
  readonly paymentId: string | null
  readonly link: PaymentLink | null
  /** Currency of the payment or link, to pick the credentials when there is no link. */
  readonly currency: string | null
  /** Deliveries stored for the payment and for its link so far: an answer counts only while this has not changed. */
  readonly deliveries: number
  /** Failed or fruitless reads in a row. */
  readonly failures: number
}

export type ReadStore = {
  /** Subjects whose read is due, longest due first. */
  due(now: Date, limit: number): Promise<ReadSubject[]>
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** The subject with this payment id or upstream link uuid. */
  subject(id: string): Promise<ReadSubject | null>
  /**
   * Records what a read showed. `superseded` when a delivery was stored since the subject was taken: nothing is changed,
   * and the read stays due. `confirmed` when nothing changes: then no read is planned any more, except that of a link
   * which is still open, and that of a subject of which the answer told nothing (15 minutes later, as one more failure).
   */
  record(subject: ReadSubject, report: PaymentReport, at: Date): Promise<ReadOutcome>
  /**
   * Records that a read told nothing, and when to try again; null for never. A read that a delivery asked for since the
   * subject was taken stays due.
   */
  postpone(subject: ReadSubject, until: Date | null): Promise<void>
}

export type ReadOutcome = 'changed' | 'confirmed' | 'superseded'
