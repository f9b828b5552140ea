import type { DecisionOnRows } from './decide.ts'
import type { AgreementReadStore, CommandStore, Heartbeat, Inbox, ReadStore, Store, Sweep } from './store.ts'

/**
 * What the ledger and the graph need of a database: queries that read what is committed, and a way to decide on rows in
 * memory. SQLite and PostgreSQL stand behind it.
 */
export type Database = Pick<
  Store,
  'log' | 'links' | 'payments' | 'agreements' | 'payouts' | 'logId' | 'ping' | 'onFatal' | 'close'
> & {
  /**
   * Makes a decision in a transaction, together with those that come at the same time, and resolves once it is durable.
   * One that throws has changed nothing.
   */
  decide<Result>(decision: DecisionOnRows<Result>): Promise<Result>
  readonly inbox: Pick<Inbox, 'subjectOf' | 'knowsRef' | 'byIds' | 'page' | 'backlog'>
  readonly commands: Pick<
    CommandStore,
    'find' | 'hasNamesake' | 'hasRival' | 'traceAgreement' | 'paidThrough' | 'expireLeases' | 'purge'
  >
  readonly reads: Pick<ReadStore, 'sites' | 'due' | 'nextDue' | 'subject' | 'nearby' | 'backlog'>
  readonly agreementReads: Pick<AgreementReadStore, 'sites' | 'due' | 'nextDue' | 'subject'>
  readonly heartbeat: Pick<Heartbeat, 'last'>
  readonly sweep: Pick<Sweep, 'pending'> & {
    /** Since when the sweep goes back, and how far it has come. */
    state(): Promise<{ readonly from: Date | null; readonly cursor: string | null }>
    /** The next rows of a part, a bounded number of them. */
    page(part: SweepPart, from: { readonly from: number; readonly after: SweepCursor | null }): Promise<SweepPage>
  }
}

/** What a sweep goes through: what changed since it goes back to, and what is under way. */
export type SweepPart =
  | 'payments-changed'
  | 'payments-in-progress'
  | 'payments-refunding'
  | 'payments-disputed'
  | 'links-open'
  | 'agreements-changed'
  | 'agreements-created'

/** Keyset cursor of a sweep: an instant in milliseconds since the epoch, and a row's number. */
export type SweepCursor = { readonly at: number; readonly number: number }

export type SweepPage = {
  readonly table: 'payments' | 'links' | 'agreements'
  readonly ids: readonly string[]
  /** Null at the end of the part. */
  readonly next: SweepCursor | null
}
