import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Delivery, ReplayRefusal } from '../domain/delivery.ts'
import type { PaymentEvent, PaymentEventKind } from '../domain/events/payment-event.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentNote } from '../domain/payments/payment-note.ts'
import type { Payer, PaymentReport } from '../domain/payments/payment-report.ts'
import type { DuplicatePayment, Disposition, Payment } from '../domain/payments/payment.ts'
import type { StoreFigures } from '../observability/metrics/store-metrics.ts'
import type { CommandQueries, RefKind } from './command-store.ts'
import type { DecisionOnRows } from './group-commit.ts'
import type { ImportQueries } from './import-store.ts'
import type { ListStore, Page, PageQuery } from './page.ts'
import type { DeliveryFilter, ReplayQueries } from './replay-store.ts'
import type { ErasureStore } from './retention/erasure-queries.ts'
import type { RetentionStore } from './retention/retention-queries.ts'
import type { RefundRequestRow } from './rows/command-rows.ts'
import type { LeaseName } from './rows/upkeep-rows.ts'
import type { SigningKeyStore } from './signing-key-store.ts'
import type { StatisticsStore } from './statistics-store.ts'
import type { StoreFailure } from './store-errors.ts'
import type {
  ReadQueries,
  PaymentSearch,
  SearchResult,
  AgreementReadSubject,
  AgreementStore,
  GatewayPaymentStore,
  PayoutReadSubject,
  PayoutStore,
} from './subject-stores.ts'

export * from './subject-stores.ts'
export type * from './command-store.ts'
export type * from './import-store.ts'
export type * from './page.ts'
export type * from './replay-store.ts'
export * from './retention/erasure-queries.ts'
export type * from './retention/kinds.ts'
export type { LeaseName } from './rows/upkeep-rows.ts'
export type * from './signing-key-store.ts'
export type * from './statistics-store.ts'

/**
 * The database interface of the ledger, implemented for SQLite and PostgreSQL: queries on committed data, and decisions on rows in memory. What
 * other rooms use is the ledger's `Store`.
 */
export type Database = {
  /**
   * Runs a decision in a transaction, together with concurrent ones, and resolves once its changes are durable. If the decision throws,
   * it changes nothing.
   */
  decide<Result>(decision: DecisionOnRows<Result>): Promise<Result>
  readonly log: EventLog
  readonly inbox: InboxQueries
  readonly links: LinkStore
  readonly payments: PaymentStore
  readonly agreements: AgreementStore
  readonly payouts: PayoutStore
  readonly gatewayPayments: GatewayPaymentStore
  readonly commands: CommandQueries
  readonly reads: ReadQueries
  readonly agreementReads: {
    /** Returns the subject with this id or clientTransactionId. */
    subject(id: string): Promise<AgreementReadSubject | null>
  }
  readonly payoutReads: { subject(id: string): Promise<PayoutReadSubject | null> }
  readonly heartbeat: {
    /** The last heartbeat of a process with this database: a gap shows how long webhooks could not be received. Null before the first. */
    last(): Promise<Date | null>
  }
  readonly sweep: SweepQueries
  readonly leases: {
    /** Returns until when a lease is held, by the database's clock; null if nobody holds it at `now`. */
    heldUntil(name: LeaseName, now: Date): Promise<Date | null>
  }
  readonly retention: RetentionStore
  readonly erasures: ErasureStore
  readonly imports: ImportQueries
  readonly replays: ReplayQueries
  readonly signingKeys: SigningKeyStore
  readonly statistics: StatisticsStore
  /** Random id of this log, created with the database. It distinguishes cursors of other logs. */
  readonly logId: string
  /** Version of SQLite or of the PostgreSQL server. */
  readonly version: string
  /**
   * Returns, for each time that the log went on on another server, the position of the last event that it had there: later events of
   * the server before are not in this log. None on SQLite, where a restored backup is another log.
   */
  branches(): readonly number[]
  /** Returns the time of the database's clock, which is the same for all processes. That of a SQLite file is the clock of its process. */
  now(): Promise<Date>
  /** Resolves if the database answers; rejects if it does not. */
  ping(): Promise<void>
  /** Resolves if the database can be written; rejects if it cannot. */
  probe(): Promise<void>
  /** Rejects with `StoreFailure`, FULL, if there is too little room for what a command would record. */
  assertRoom(): Promise<void>
  /** Returns what the database knows of its size and its connections. */
  figures(): Promise<StoreFigures>
  /**
   * Calls the listener once if a commit could not be made durable. Then the content of the disk is unknown, nothing more is written, and
   * the database has to be opened again. Returns the function that removes the listener.
   */
  onFatal(listener: (failure: StoreFailure) => void): () => void
  close(): Promise<void>
}

/**
 * A lease that a process was given. What the process does under its lease carries it, and the store refuses it with a `LeaseLostError`
 * once another process has the lease, however late the first one notices.
 */
export type Lease = {
  readonly name: LeaseName
  readonly owner: string
  /** Fencing number: rises each time the lease changes hands. */
  readonly fence: number
}

/** The unfinished sweep after a gap: it brings forward the reads of everything that is under way, and of open links. */
export type SweepQueries = {
  /** Returns its `from`, where the gap began; null if there is none. */
  pending(): Promise<Date | null>
  /** The same, and how many links it has brought forward: that is stored with each step, so that it continues after a restart. */
  state(): Promise<{ readonly from: Date | null; readonly links: number }>
  /** Returns the next rows whose reads are planned after these instants (milliseconds since the epoch), at most 250; null at the end. */
  page(after: { readonly polls: number; readonly links: number }): Promise<SweepPage | null>
}

/** Rows of one table whose planned reads a sweep brings forward. */
export type SweepPage = {
  readonly table: 'payments' | 'links' | 'agreements' | 'payouts'
  readonly ids: readonly string[]
}

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
   * Calls the listener when the log has gone on on another server (see `Database.branches`), before anything is read there, with the
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

export type InboxQueries = {
  /** Returns the payment, agreement, payout or gateway payment id in the latest usable delivery at a correlation id's URL; null if there is none. */
  subjectOf(ref: string): Promise<string | null>
  /** Returns whether `ref` is the correlation id of an attempt of one of these kinds, whatever its outcome. */
  knowsRef(ref: string, kinds: readonly RefKind[]): Promise<boolean>
  /** Returns the span of the request for which a correlation id was made; null if it had none. */
  traceparentOf(ref: string): Promise<string | null>
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
  /** Who asked for it. Default: null. */
  readonly requestedBy?: string | null
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
  /** See `Delivery`. */
  readonly signed?: boolean
  readonly keyId?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the milliseconds since the head of the request. */
  readonly elapsedMs?: () => number
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

/** Rows by their primary keys. */
export type RowsById<Row> = {
  byIds(ids: readonly string[]): Promise<Row[]>
  /** Returns the row that `byIds` would return now; undefined if that takes a query. */
  cached(id: string): Row | undefined
}

export type LinkStore = RowsById<PaymentLink> &
  ListStore<PaymentLink> & {
    byRefs(refs: readonly string[]): Promise<PaymentLink[]>
    /** Returns a link, the payment that determines its state, and the position of the log, read in one transaction: the data of a snapshot. */
    snapshot(id: string): Promise<{ link: PaymentLink; payment: Payment | null; head: number } | null>
  }

/** Payments; those whose amount is known are listed. */
export type PaymentStore = RowsById<Payment> &
  ListStore<Payment> & {
    /** Payers by payment id. */
    payers(paymentIds: readonly string[]): Promise<Map<string, Payer>>
    /** Returns the sealed card tokens that are kept, by payment id. */
    cardTokens(paymentIds: readonly string[]): Promise<Map<string, string>>
    /** The keys and reasons of refunds that were requested here, by command id. */
    refundRequests(commandIds: readonly string[]): Promise<Map<string, RefundRequestRow>>
    /** Payments by the correlation id of their link, oldest first, at most 20 of each. */
    ofLinks(refs: readonly string[]): Promise<Map<string, readonly Payment[]>>
    /** Operators' notes by payment id, oldest first. */
    notes(paymentIds: readonly string[]): Promise<Map<string, readonly PaymentNote[]>>
    /** Duplicates, resolved or not, by the id of the later payment. */
    duplicates(paymentIds: readonly string[]): Promise<Map<string, DuplicatePayment>>
    /** The requests of payments that were created here without a link, by payment id. */
    payins(paymentIds: readonly string[]): Promise<DirectPayin[]>
    snapshot(id: string): Promise<{ payment: Payment; link: PaymentLink | null; head: number } | null>
    /** Returns the payments whose amount is known, and the links without a payment, of which a field begins with a text in any case. */
    search(search: PaymentSearch): Promise<SearchResult>
  }
