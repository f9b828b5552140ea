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
  readonly reads: Pick<ReadStore, 'sites' | 'due' | 'subject' | 'backlog'>
  readonly agreementReads: Pick<AgreementReadStore, 'subject'>
  readonly payoutReads: Pick<PayoutReadStore, 'subject'>
  readonly leases: Pick<LeaseStore, 'heldUntil'>
  readonly heartbeat: Pick<Heartbeat, 'last'>
  readonly imports: Pick<ImportStore, 'begin' | 'comparedDays' | 'running' | 'byNumber' | 'page' | 'absent' | 'clear'>
  readonly sweep: Pick<Sweep, 'pending'> & {
    /** Returns the `from` of the unfinished sweep, null if there is none, and how many links it has brought forward. */
    state(): Promise<{ readonly from: Date | null; readonly links: number }>
    /** Returns the next rows whose reads are planned after these instants (milliseconds since the epoch), at most 250; null at the end. */
    page(after: { readonly polls: number; readonly links: number }): Promise<SweepPage | null>
  }
}

/** Rows of one table whose planned reads a sweep brings forward. */
export type SweepPage = {
  readonly table: 'payments' | 'links' | 'agreements' | 'payouts'
  readonly ids: readonly string[]
}
