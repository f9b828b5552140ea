import type { DecisionOnRows } from './group-commit.ts'
import type {
  AgreementReadStore,
  CommandStore,
  Heartbeat,
  ImportStore,
  Inbox,
  LeaseStore,
  PayoutReadStore,
  ReadStore,
  Store,
  Sweep,
} from './store.ts'

/**
 * The database interface of the ledger and the GraphQL layer: queries on committed data, and decisions on rows in memory. Implemented
 * for SQLite and PostgreSQL.
 */
export type Database = Pick<
  Store,
  | 'log'
  | 'links'
  | 'payments'
  | 'agreements'
  | 'payouts'
  | 'gatewayPayments'
  | 'retention'
  | 'erasures'
  | 'signingKeys'
  | 'logId'
  | 'branches'
  | 'now'
  | 'ping'
  | 'onFatal'
  | 'close'
> & {
  /** Whether several processes may use the database at once. */
  readonly isShared: boolean
  /**
   * Runs a decision in a transaction, together with concurrent ones, and resolves once its changes are durable. If the decision throws,
   * it changes nothing.
   */
  decide<Result>(decision: DecisionOnRows<Result>): Promise<Result>
  readonly inbox: Pick<Inbox, 'subjectOf' | 'knowsRef' | 'byIds' | 'page' | 'backlog'>
  readonly commands: Pick<
    CommandStore,
    | 'find'
    | 'hasNamesake'
    | 'hasRival'
    | 'traceAgreement'
    | 'tracePayout'
    | 'paidThrough'
    | 'unansweredGatewayCreations'
    | 'expireLeases'
    | 'purge'
  >
  readonly reads: Pick<ReadStore, 'sites' | 'due' | 'nextDue' | 'subject' | 'nearby' | 'backlog'>
  readonly agreementReads: Pick<AgreementReadStore, 'sites' | 'due' | 'nextDue' | 'subject'>
  readonly payoutReads: Pick<PayoutReadStore, 'sites' | 'due' | 'nextDue' | 'subject'>
  readonly leases: Pick<LeaseStore, 'heldUntil'>
  readonly heartbeat: Pick<Heartbeat, 'last'>
  readonly imports: Pick<ImportStore, 'begin' | 'running' | 'byNumber' | 'page' | 'absent' | 'clear'>
  readonly sweep: Pick<Sweep, 'pending'> & {
    /** Returns the `from` and the progress of the unfinished sweep; nulls if there is none. */
    state(): Promise<{ readonly from: Date | null; readonly cursor: string | null }>
    /** Returns the next rows of a part, at most 250. */
    page(part: SweepPart, from: { readonly from: number; readonly after: SweepCursor | null }): Promise<SweepPage>
  }
}

/** The parts of a sweep: what changed since its `from`, and what is in progress. */
export type SweepPart =
  | 'payments-changed'
  | 'payments-in-progress'
  | 'payments-refunding'
  | 'payments-disputed'
  | 'links-open'
  | 'agreements-changed'
  | 'agreements-created'
  | 'payouts-planned'

/** Keyset cursor of a sweep: an instant in milliseconds since the epoch, and a row's number. */
export type SweepCursor = { readonly at: number; readonly number: number }

export type SweepPage = {
  readonly table: 'payments' | 'links' | 'agreements' | 'payouts'
  readonly ids: readonly string[]
  /** Null at the end of the part. */
  readonly next: SweepCursor | null
}
