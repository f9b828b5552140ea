import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Delivery, ReplayRefusal } from '../domain/delivery.ts'
import type { GatewayPaymentReport } from '../domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentEvent, PaymentEventKind } from '../domain/payments/payment-event.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payer, PaymentReport, PaymentPhase } from '../domain/payments/payment-report.ts'
import type { DuplicatePayment, Disposition, Payment } from '../domain/payments/payment.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { CommandStore, RefKind } from './command-store.ts'
import type { ImportStore } from './import-store.ts'
import type { Lease, LeaseStore, PaceStore } from './lease-store.ts'
import type { ErasureStore } from './retention/erasure-queries.ts'
import type { RetentionStore } from './retention/retention-queries.ts'
import type { RefundRequestRow } from './rows/command-rows.ts'
import type { SigningKeyStore } from './signing-key-store.ts'
import type { StoreFailure } from './store-errors.ts'
import type {
  ReadStore,
  PaymentSearch,
  SearchResult,
  AgreementReadStore,
  AgreementStore,
  GatewayPaymentStore,
  PayoutReadStore,
  PayoutStore,
} from './subject-stores.ts'

export * from './subject-stores.ts'
export type * from './command-store.ts'
export type * from './import-store.ts'
export type * from './lease-store.ts'
export * from './retention/erasure-queries.ts'
export type * from './signing-key-store.ts'

/**
 * Everything that must survive the process: the log of events, the inbox of deliveries, the current state, and the commands in
 * progress. If a promise resolves, its change is durable. If it rejects, nothing was changed, except that after a lost connection to
 * the database (`StoreFailure`, DOWN) the change may have been recorded.
 * Rejects with `StoreFailure` if the database fails, `StoreBusyError` if too many writes wait, `StoreClosedError` after `close`. Reads
 * return committed data that is never older than this process's own commits.
 */
export type Store = {
  readonly log: EventLog
  readonly inbox: Inbox
  readonly links: LinkStore
  readonly payments: PaymentStore
  readonly agreements: AgreementStore
  readonly payouts: PayoutStore
  readonly gatewayPayments: GatewayPaymentStore
  readonly commands: CommandStore
  readonly reads: ReadStore
  readonly agreementReads: AgreementReadStore
  readonly payoutReads: PayoutReadStore
  readonly heartbeat: Heartbeat
  readonly sweep: Sweep
  readonly leases: LeaseStore
  readonly retention: RetentionStore
  readonly paces: PaceStore
  readonly erasures: ErasureStore
  readonly imports: ImportStore
  readonly signingKeys: SigningKeyStore
  /** Random id of this log, created with the database. It distinguishes cursors of other logs. */
  readonly logId: string
  /**
   * Returns, for each time that the log went on on another server, the position of the last event that it had there: later events of
   * the server before are not in this log. None on SQLite, where a restored backup is another log.
   */
  branches(): readonly number[]
  /** Returns the time of the database's clock, which is the same for all processes. That of a SQLite file is the clock of its process. */
  now(): Promise<Date>
  /** Resolves if the database answers; rejects if it does not. */
  ping(): Promise<void>
  /**
   * Calls the listener once if a commit could not be made durable. Then the content of the disk is unknown, nothing more is written, and
   * the database has to be opened again. Returns the function that removes the listener.
   */
  onFatal(listener: (failure: StoreFailure) => void): () => void
  close(): Promise<void>
}

/** The last heartbeat of a process with this database: a gap shows how long webhooks could not be received. */
export type Heartbeat = {
  /** Null before the first heartbeat. */
  last(): Promise<Date | null>
  /** Rejects with `LeaseLostError` without the lease. */
  beat(now: Date, lease?: Lease | null): Promise<void>
}

/**
 * The sweep after a gap that began at `from`: it brings forward the reads of everything that is under way, and of open links. What was
 * brought forward is stored with each step, so that it continues after a restart.
 */
export type Sweep = {
  /** The `from` of the unfinished sweep; null if there is none. */
  pending(): Promise<Date | null>
  /**
   * Starts a sweep and records a heartbeat in one transaction, so that the gap cannot be lost. An unfinished sweep goes on, from the earlier
   * of both instants. Rejects with `LeaseLostError` without the lease.
   */
  begin(from: Date, now: Date, lease?: Lease | null): Promise<void>
  /** Brings a bounded number of reads forward. Called until it returns `done`. Rejects with `LeaseLostError` without the lease. */
  step(now: Date, lease?: Lease | null): Promise<SweepStep>
}

export type SweepStep = { readonly planned: number; readonly done: boolean }

/** The append-only log. Positions increase in the order of commits, so a reader that follows them misses nothing. */
export type EventLog = {
  /** Position of the last committed event; 0 while the log is empty. */
  head(): Promise<number>
  /**
   * Position of the last pruned event; 0 if none was pruned. If it is above a position after a `read` from there, the read may have
   * missed events.
   */
  horizon(): Promise<number>
  /** Events after a position, in order, at most `limit` (1 to 1,000). */
  read(after: number, limit: number, filter?: EventFilter): Promise<LogPage>
  /** The last events before a position, by default of the whole log, in order, at most `limit` (1 to 1,000). */
  newest(limit: number, filter?: EventFilter, before?: number): Promise<LogPage>
  byIds(ids: readonly string[]): Promise<PaymentEvent[]>
  /**
   * Returns, for each of these events of payments, the event before it of the same payment; null for the first one, and if it was pruned.
   */
  previousOfPayments(events: readonly PaymentEvent[]): Promise<(PaymentEvent | null)[]>
  /**
   * Calls the listener after each commit of this process that appended events, with those events by position. Other nodes may have
   * appended events before them. Returns the function that removes the listener.
   */
  onAppend(listener: (events: readonly PaymentEvent[]) => void): () => void
  /**
   * Calls the listener when the log has gone on on another server (see `Store.branches`), before anything is read there, with the
   * position up to which both logs are the same. Returns the function that removes the listener.
   */
  onBranch(listener: (last: number) => void): () => void
}

/** See `Page`. */
export type LogPage = {
  readonly events: readonly PaymentEvent[]
  /** Position at which the log is to be read on; null if no further event meets the filter. */
  readonly next: number | null
}

export type EventFilter = {
  readonly streamIds?: readonly string[]
  readonly paymentIds?: readonly string[]
  /** Upstream link uuids. */
  readonly linkIds?: readonly string[]
  readonly agreementIds?: readonly string[]
  readonly payoutIds?: readonly string[]
  readonly gatewayPaymentIds?: readonly string[]
  readonly kinds?: readonly PaymentEventKind[]
}

export type Inbox = {
  /**
   * Stores a webhook and applies its report in one transaction. A repeat of the same bytes only counts an attempt (and plans a read, if
   * the domain decides so).
   */
  receive(delivery: IncomingDelivery): Promise<DeliveryOutcome>
  /** The same for an agreement's callback. One about another agreement than that of its URL is QUARANTINED. */
  receiveAgreement(callback: IncomingCallback<AgreementReport>): Promise<DeliveryOutcome>
  /** The same for a payout's callback. */
  receivePayout(callback: IncomingCallback<PayoutReport>): Promise<DeliveryOutcome>
  /** The same for a gateway payment's callback. */
  receiveGatewayPayment(callback: IncomingCallback<GatewayPaymentReport>): Promise<DeliveryOutcome>
  /** Stores a callback that changes no state here: as NO_CHANGE and without its body. A repeat of the same bytes only counts an attempt. */
  keep(callback: KeptCallback): Promise<DeliveryOutcome>
  /** Returns the payment, agreement, payout or gateway payment id in the latest usable delivery at a correlation id's URL; null if there is none. */
  subjectOf(ref: string): Promise<string | null>
  /** Returns whether `ref` is the correlation id of an attempt of one of these kinds, whatever its outcome. */
  knowsRef(ref: string, kinds: readonly RefKind[]): Promise<boolean>
  /**
   * Decides a stored delivery again, against the current state, in one transaction. A quarantined delivery becomes usable if `parse` can
   * read it now. If the delivery is doubtful or changes something, a read is planned. Counts no attempt. Without `apply` nothing is
   * changed, and the outcome shows what would be.
   */
  replay(replay: DeliveryReplay): Promise<ReplayOutcome>
  byIds(ids: readonly string[]): Promise<Delivery[]>
  page(page: PageQuery, filter: DeliveryFilter): Promise<Page<Delivery>>
  /** Returns the number of deliveries that need attention; cheap enough for every few seconds. */
  backlog(): Promise<PaymentsDeliveryBacklog>
}

/** Each is counted up to 10,000. */
export type PaymentsDeliveryBacklog = {
  /** DOUBTFUL deliveries whose subject is still in doubt. */
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
      /** Status of the payment or agreement in the payments API's spelling; null if unknown. */
      readonly statusBefore: string | null
      readonly statusAfter: string | null
    }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-replayable'; readonly reason: ReplayRefusal }

/** A callback about an object whose state is not stored here. */
export type KeptCallback = Omit<ReceivedDelivery, 'body'> & {
  /** Id and status as the body names them. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
}

/** A request at a webhook URL. */
export type ReceivedDelivery = {
  /** Keyed hashes of the raw body and its URL under every live key; the first is stored. */
  readonly bodyHashes: readonly [string, ...string[]]
  /** Correlation id in the URL; null for the merchant's default URL. */
  readonly ref: string | null
  /** The body without secrets and payer data, as JSON text; null if it was not a JSON object. */
  readonly body: string | null
  readonly receivedAt: Date
}

export type IncomingDelivery = ReceivedDelivery & {
  /** Null if the body is authentic but unusable; then it is stored as QUARANTINED. */
  readonly report: PaymentReport | null
}

export type IncomingCallback<Report> = ReceivedDelivery & {
  /** Agreements, payouts and gateway payments have no default URL. */
  readonly ref: string
  /** Null if the body is authentic but unusable; then it is stored as QUARANTINED. */
  readonly report: Report | null
}

export type DeliveryOutcome = {
  readonly disposition: Disposition
  /** The same bytes had been received before. */
  readonly repeat: boolean
  /** A read of its subject is due now. */
  readonly readDue: boolean
  /** This delivery reports a payment through a link that no client received. */
  readonly orphan?: OrphanLink
}

/** A link that was created by an attempt of a command and is not the command's result. */
export type OrphanLink = { readonly ref: string; readonly commandId: string }

export type DeliveryFilter = {
  readonly subjectIds?: readonly string[]
  readonly dispositions?: readonly Disposition[]
  /** True for those that `backlog` counts; otherwise without effect. */
  readonly needsAttention?: boolean
}

/** A page of a list, newest first: the rows after the place `before`. */
export type PageQuery = { readonly limit: number; readonly before: PageCursor | null }

/**
 * The place of a row in a list: its number, which increases with every new row and never changes; in a list ordered by an instant, first
 * that instant in milliseconds since the epoch.
 */
export type PageCursor = { readonly number: number; readonly at?: number | null }

/**
 * The first rows behind a place. A bounded number of rows is looked at, so a page may hold fewer rows than asked for, or none, and others may
 * follow all the same.
 */
export type Page<Row> = {
  readonly rows: readonly Row[]
  /** The place at which the list is to be read on; null if no further row meets the filter. */
  readonly next: PageCursor | null
}

/** A row with its place in its list. */
export type Placed<Row> = Required<PageCursor> & { readonly row: Row }

/** Rows by their primary keys. */
export type RowsById<Row> = {
  byIds(ids: readonly string[]): Promise<Row[]>
  /** Returns the row that `byIds` would return now; undefined if that takes a query. */
  cached(id: string): Row | undefined
}

export type LinkStore = RowsById<PaymentLink> & {
  byRefs(refs: readonly string[]): Promise<PaymentLink[]>
  /**
   * By number; by creation and number where the filter names an instant and no reference. Throws `PlaceOfOtherOrderError` for a place of the
   * other order.
   */
  page(page: PageQuery, filter: LinkFilter): Promise<Page<Placed<PaymentLink>>>
  /** Returns a link, the payment that determines its state, and the position of the log, read in one transaction: the data of a snapshot. */
  snapshot(id: string): Promise<{ link: PaymentLink; payment: Payment | null; head: number } | null>
}

export type LinkFilter = {
  readonly reference?: string
  readonly createdFrom?: Date
  readonly createdBefore?: Date
  /** Phases of the payment that determines the link's state; IN_PROGRESS includes links without a payment that have not expired. */
  readonly phases?: readonly PaymentPhase[]
}

export type PaymentStore = RowsById<Payment> & {
  /** Payers by payment id. */
  payers(paymentIds: readonly string[]): Promise<Map<string, Payer>>
  /** Returns the sealed card tokens that are kept, by payment id. */
  cardTokens(paymentIds: readonly string[]): Promise<Map<string, string>>
  /** The keys and reasons of refunds that were requested here, by command id. */
  refundRequests(commandIds: readonly string[]): Promise<Map<string, RefundRequestRow>>
  /** Duplicates, resolved or not, by the id of the later payment. */
  duplicates(paymentIds: readonly string[]): Promise<Map<string, DuplicatePayment>>
  /** The requests of payments that were created here without a link, by payment id. */
  payins(paymentIds: readonly string[]): Promise<DirectPayin[]>
  /**
   * Only payments whose amount is known. By number; by last change and number where the filter names an instant, and neither a reference nor
   * open duplicates. Throws `PlaceOfOtherOrderError` for a place of the other order.
   */
  page(page: PageQuery, filter: PaymentsFilter): Promise<Page<Placed<Payment>>>
  snapshot(id: string): Promise<{ payment: Payment; link: PaymentLink | null; head: number } | null>
  /** Returns the payments whose amount is known, and the links without a payment, of which a field begins with a text in any case. */
  search(search: PaymentSearch): Promise<SearchResult>
}

export type PaymentsFilter = {
  /** The link's reference, the direct payin's, or the merchant's reference that the payment itself carries. */
  readonly reference?: string
  readonly updatedFrom?: Date
  readonly updatedBefore?: Date
  readonly phases?: readonly PaymentPhase[]
  /** True for duplicates that are not resolved, false for all other payments. */
  readonly duplicate?: boolean
}
