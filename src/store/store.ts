import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Delivery, ReplayRefusal } from '../domain/delivery.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentEvent, PaymentEventKind } from '../domain/payments/payment-event.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payer, PaymentReport } from '../domain/payments/payment-report.ts'
import type { PaymentPhase } from '../domain/payments/payment-status.ts'
import type { Disposition, Payment } from '../domain/payments/payment.ts'
import type { AgreementReadStore, AgreementStore } from './agreement-store.ts'
import type { CommandStore, RefKind } from './command-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { ReadStore } from './read-store.ts'
import type { StoreFailure } from './store-errors.ts'

export type * from './agreement-store.ts'
export type * from './command-store.ts'
export type * from './lease-store.ts'
export type * from './read-store.ts'

/**
 * Everything that must outlive the process: the log of events, the inbox of deliveries, the state that they have made,
 * and the commands that are under way. Every promise that resolves is durable; a promise that rejects has changed nothing,
 * unless it says that the way to the database was lost (`StoreFailure`, DOWN): then it may have been recorded.
 * Rejects with `StoreFailure` when the database fails, `StoreBusyError` when too many writes wait, `StoreClosedError` after
 * `close`.
 * What is read is committed, and never older than what this process has seen committed.
 */
export type Store = {
  readonly log: EventLog
  readonly inbox: Inbox
  readonly links: LinkStore
  readonly payments: PaymentStore
  readonly agreements: AgreementStore
  readonly payouts: PayoutStore
  readonly commands: CommandStore
  readonly reads: ReadStore
  readonly agreementReads: AgreementReadStore
  readonly heartbeat: Heartbeat
  readonly sweep: Sweep
  readonly leases: LeaseStore
  /** Random id of this log, made with the database: a cursor of another log can be told by it. */
  readonly logId: string
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>
  /**
   * Calls the listener once, when a commit could not be made durable: nobody knows what the disk holds, nothing more is
   * written, and only opening the database anew helps. Gives the function that ends it.
   */
  onFatal(listener: (failure: StoreFailure) => void): () => void
  close(): Promise<void>
}

/** The last sign of life of a process that held the database: a gap tells how long webhooks could not be taken. */
export type Heartbeat = {
  /** Null before the first beat. */
  last(): Promise<Date | null>
  beat(now: Date): Promise<void>
}

/**
 * The sweep after a gap: reads are planned of what may have changed since `from`. That is what changed since then, what is
 * under way (unpaid, in a refund or in a dispute), and links that were open. How far it has come is stored with each step,
 * so that it is taken up again after a restart.
 */
export type Sweep = {
  /** Since when the sweep that has begun goes back; null when none has. */
  pending(): Promise<Date | null>
  /**
   * Begins a sweep, and leaves a sign of life, in one transaction: the gap is not forgotten from here on. One that has not
   * ended begins anew, from the earlier of both instants.
   */
  begin(from: Date, now: Date): Promise<void>
  /** Plans the next reads, a bounded number of them. Steps are made until one is `done`. */
  step(now: Date): Promise<SweepStep>
}

export type SweepStep = { readonly planned: number; readonly done: boolean }

/** The append-only log. Positions rise in the order of the commits, so a reader that follows them skips nothing. */
export type EventLog = {
  /** Position of the last committed event; 0 while the log is empty. */
  head(): Promise<number>
  /** Events after a position, in order, at most `limit` (1 to 1,000). */
  read(after: number, limit: number, filter?: EventFilter): Promise<PaymentEvent[]>
  byIds(ids: readonly string[]): Promise<PaymentEvent[]>
  /**
   * Calls the listener after each commit of this process that appended events, with those events by position. Other nodes may
   * have appended some before them. Gives the function that ends it.
   */
  onAppend(listener: (events: readonly PaymentEvent[]) => void): () => void
}

export type EventFilter = {
  readonly streamIds?: readonly string[]
  readonly paymentIds?: readonly string[]
  /** Upstream link uuids. */
  readonly linkIds?: readonly string[]
  readonly agreementIds?: readonly string[]
  readonly kinds?: readonly PaymentEventKind[]
}

export type Inbox = {
  /**
   * Stores a webhook and applies what it says, in one transaction. The same bytes a second time only count an attempt
   * (and ask for a read where the domain says so).
   */
  receive(delivery: IncomingDelivery): Promise<DeliveryOutcome>
  /** The same for an agreement's callback. One that speaks of another agreement than its address is QUARANTINED. */
  receiveAgreement(callback: IncomingCallback): Promise<DeliveryOutcome>
  /** Keeps a callback that changes no state here: NO_CHANGE, and without its body. The same bytes only count an attempt. */
  keep(callback: KeptCallback): Promise<DeliveryOutcome>
  /** Payment or agreement id that the latest usable delivery at a correlation id's address named; null when none did. */
  subjectOf(ref: string): Promise<string | null>
  /** True when `ref` is the correlation id of an attempt of one of these kinds, whatever became of it. */
  knowsRef(ref: string, kinds: readonly RefKind[]): Promise<boolean>
  /**
   * Decides a stored delivery anew, against the state as it is now, in one transaction. What is authentic and could not be
   * used becomes usable when `parse` can read it; what is in doubt, or changes something, has the payments API read. Counts no
   * attempt. Without `apply` nothing changes, and the outcome tells what would.
   */
  replay(replay: DeliveryReplay): Promise<ReplayOutcome>
  byIds(ids: readonly string[]): Promise<Delivery[]>
  page(page: PageQuery, filter: DeliveryFilter): Promise<Delivery[]>
  /** How many deliveries somebody should look at; cheap enough to be asked every few seconds. */
  backlog(): Promise<DeliveryBacklog>
}

/** Each is counted up to 10,000. */
export type DeliveryBacklog = {
  /** DOUBTFUL deliveries whose payment or agreement is still in doubt. */
  readonly doubtful: number
  /** QUARANTINED deliveries, of any age. */
  readonly quarantined: number
}

export type DeliveryReplay = {
  /** Id of the delivery. */
  readonly id: string
  readonly apply: boolean
  readonly at: Date
  /** Read a stored body; null for one that is unusable. */
  readonly parse: {
    payment(body: string): PaymentReport | null
    agreement(body: string): AgreementReport | null
  }
}

export type ReplayOutcome =
  | {
      readonly kind: 'replayed'
      readonly before: Disposition
      readonly after: Disposition
      /** A read of the payment or agreement is due now. */
      readonly readDue: boolean
      /** Status of the payment or agreement, as the payments API spells it; null while nothing is known of it. */
      readonly statusBefore: string | null
      readonly statusAfter: string | null
    }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-replayable'; readonly reason: ReplayRefusal }

/** A callback about something whose state stays with the payments API. */
export type KeptCallback = Omit<ReceivedDelivery, 'body'> & {
  /** Id and status as the body names them. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
}

/** What came in at one of our addresses. */
export type ReceivedDelivery = {
  /** Keyed hashes of the raw body at its address under every live key; the first is stored. */
  readonly bodyHashes: readonly [string, ...string[]]
  /** Correlation id that the address carried; null for the merchant's default address. */
  readonly ref: string | null
  /** The body without secrets and payer data, as JSON text; null where it was no JSON object. */
  readonly body: string | null
  readonly receivedAt: Date
}

export type IncomingDelivery = ReceivedDelivery & {
  /** Null when the body is authentic but unusable: it is kept as QUARANTINED. */
  readonly report: PaymentReport | null
}

export type IncomingCallback = ReceivedDelivery & {
  /** Agreements have no default address. */
  readonly ref: string
  /** Null when the body is authentic but unusable: it is kept as QUARANTINED. */
  readonly report: AgreementReport | null
}

export type DeliveryOutcome = {
  readonly disposition: Disposition
  /** The same bytes had come before. */
  readonly repeat: boolean
  /** A read of the payment or agreement is due now. */
  readonly readDue: boolean
  /** With this delivery a link was paid that no client was given. */
  readonly orphan?: OrphanLink
}

/** A link that the payments API has made for an attempt of a command, and that is not the command's result. */
export type OrphanLink = { readonly ref: string; readonly commandId: string }

export type DeliveryFilter = {
  readonly subjectIds?: readonly string[]
  readonly dispositions?: readonly Disposition[]
}

/** A page of a list, newest first: rows that come behind the place `before`. */
export type PageQuery = { readonly limit: number; readonly before: PageCursor | null }

/**
 * Where a row stands in a list: its number, which rises with every new row and never changes; and before that, in a list that is
 * asked for by an instant, that instant in milliseconds since the epoch.
 */
export type PageCursor = { readonly number: number; readonly at?: number | null }

/** A row with its place in the list that it was read from. */
export type Placed<Row> = Required<PageCursor> & { readonly row: Row }

/** Rows by their primary keys. */
export type RowsById<Row> = {
  byIds(ids: readonly string[]): Promise<Row[]>
  /** The row as `byIds` reads it at this moment; undefined when it takes a query to know it. */
  cached(id: string): Row | undefined
}

export type LinkStore = RowsById<PaymentLink> & {
  byRefs(refs: readonly string[]): Promise<PaymentLink[]>
  /** By number; by creation and number where the filter names an instant. Throws `RangeError` for a place of the other order. */
  page(page: PageQuery, filter: LinkFilter): Promise<Placed<PaymentLink>[]>
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

export type PayoutStore = {
  /** Ids of the sites that pay the payouts which were made here, by payout id. */
  sites(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export type PaymentStore = RowsById<Payment> & {
  /** Payers by payment id. */
  payers(paymentIds: readonly string[]): Promise<Map<string, Payer>>
  /** What was asked for, of those payments that we asked for without a link. */
  payins(paymentIds: readonly string[]): Promise<DirectPayin[]>
  /**
   * Only payments whose amount is known. By number; by last change and number where the filter names an instant. Throws
   * `RangeError` for a place of the other order.
   */
  page(page: PageQuery, filter: PaymentFilter): Promise<Placed<Payment>[]>
  snapshot(id: string): Promise<{ payment: Payment; link: PaymentLink | null; head: number } | null>
}

export type PaymentFilter = {
  /** The link's reference, the direct payin's, or the merchant's reference that the payment itself carries. */
  readonly reference?: string
  readonly updatedFrom?: Date
  readonly updatedBefore?: Date
  readonly phases?: readonly PaymentPhase[]
}
