import type { PaymentEvent } from '../domain/events/payment-event.ts'
import type { CommittedRows } from './committed-rows.ts'
import type { Db, GroupCommit } from './group-commit.ts'
import type { EventLog, Database } from './port.ts'
import { commandQueries } from './queries/command-queries.ts'
import { inboxQueries } from './queries/deliveries/inbox.ts'
import { replayQueries } from './queries/deliveries/replay-queries.ts'
import { importQueries } from './queries/import-queries.ts'
import { createEventLog } from './queries/log-queries.ts'
import { createLinkStore, createPaymentStore } from './queries/payment-queries.ts'
import type { PositionFunction } from './queries/payment-search.ts'
import { findAgreementSubject, findPayoutSubject, readQueries } from './queries/reads/reads.ts'
import { sweepQueries } from './queries/reads/sweep-queries.ts'
import { createSigningKeyStore } from './queries/signing-key-queries.ts'
import { createStatisticsStore } from './queries/statistics-queries.ts'
import { createAgreementStore, createGatewayPaymentStore, createPayoutStore } from './queries/subject-queries.ts'
import { createErasureStore } from './retention/erasure-queries.ts'
import { createRetentionStore, type PruneUnits } from './retention/retention-queries.ts'

type DatabaseParts = {
  /** Reads committed data: a few rows by their keys, or adjacent rows of an index. */
  readonly reader: Db
  /** The same for lists and counts, which may take milliseconds. */
  readonly lists: Db
  readonly commits: Pick<GroupCommit, 'decide' | 'exclusively'>
  readonly pruneUnits: PruneUnits
  /** Called before the commit that ends an erasure. */
  readonly onErased: () => void
  /** Null if rows must not be cached, because other processes write them too. */
  readonly rows: CommittedRows | null
  readonly position: PositionFunction
  readonly branches: LogBranches
  /** See `Database.version`. */
  readonly version: string
  /** The listeners of this process's commits that appended events. */
  readonly appended: Listeners<readonly PaymentEvent[]>
  readonly now: () => Date
  /** See `Database.now`. */
  readonly databaseNow: Database['now']
  /** Throws if the database has failed in a way that queries do not show. */
  readonly assertHealthy: () => void
  /** See `Database.assertRoom`. */
  readonly assertRoom: Database['assertRoom']
  /** See `Database.figures`. */
  readonly figures: Database['figures']
  /** See `Database.onFatal`. */
  readonly onFatal: Database['onFatal']
  readonly close: () => Promise<void>
}

/** Creates a database from its readers and its writer. The queries are the same for SQLite and PostgreSQL. */
export async function createDatabase(parts: DatabaseParts): Promise<Database> {
  const {
    reader,
    lists,
    commits,
    pruneUnits,
    onErased,
    rows,
    position,
    branches,
    version,
    appended,
    now,
    databaseNow,
    assertHealthy,
    assertRoom,
    figures,
    onFatal,
    close,
  } = parts
  const { log_id: logId } = await metaOf(reader)
  const log = createEventLog(reader, lists, { onAppend: appended.add, onBranch: branches.onBranch })
  return {
    decide: commits.decide,
    log,
    inbox: inboxQueries(reader, lists),
    links: createLinkStore({ reader, lists, cache: rows?.links ?? null, now }),
    payments: createPaymentStore({ reader, lists, cache: rows?.payments ?? null, position }),
    commands: commandQueries(reader, commits.exclusively),
    agreements: createAgreementStore(reader, lists),
    payouts: createPayoutStore(reader, lists),
    gatewayPayments: createGatewayPaymentStore(reader, lists),
    reads: readQueries(reader, lists),
    agreementReads: { subject: (id) => findAgreementSubject(reader, id) },
    payoutReads: { subject: (id) => findPayoutSubject(reader, id) },
    leases: {
      async heldUntil(name, at) {
        const row = await reader
          .selectFrom('leases')
          .select('until')
          .where('name', '=', name)
          .where('until', '>', at.getTime())
          .executeTakeFirst()
        return row === undefined ? null : new Date(row.until)
      },
    },
    heartbeat: {
      async last() {
        const { heartbeat_at: at } = await metaOf(reader)
        return at === null ? null : new Date(at)
      },
    },
    sweep: sweepQueries(reader),
    retention: createRetentionStore(lists, commits.exclusively, pruneUnits),
    imports: importQueries(reader, lists, commits.exclusively),
    replays: replayQueries(reader, lists, commits.exclusively),
    erasures: createErasureStore(reader, commits.exclusively, onErased),
    signingKeys: createSigningKeyStore(reader, lists, commits.exclusively),
    statistics: createStatisticsStore(lists, commits.exclusively),
    logId,
    version,
    branches: branches.positions,
    now: databaseNow,
    async ping() {
      assertHealthy()
      await log.head()
    },
    async probe() {
      assertHealthy()
      await assertRoom()
      await commits.exclusively(({ db }) =>
        db
          .updateTable('meta')
          .set(({ ref }) => ({ heartbeat_at: ref('heartbeat_at') }))
          .execute(),
      )
    },
    assertRoom,
    figures,
    onFatal,
    close,
  }
}

async function metaOf(db: Db) {
  return db.selectFrom('meta').select(['log_id', 'heartbeat_at']).where('id', '=', 1).executeTakeFirstOrThrow()
}

/** The listeners of something that happens in the store, each called with the same value. */
export type Listeners<Value> = {
  /** Returns the function that removes the listener. */
  add(listener: (value: Value) => void): () => void
  notify(value: Value): void
}

/** Creates an empty set of listeners. If one throws, the others are still called, and its error is rethrown as an uncaught error. */
export function createListeners<Value>(): Listeners<Value> {
  const entries = new Set<{ readonly listener: (value: Value) => void }>()
  return {
    add(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => {
        entries.delete(entry)
      }
    },
    notify(value) {
      for (const { listener } of entries) {
        try {
          listener(value)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}

/** Where the log went on on another server. */
export type LogBranches = {
  /** See `Database.branches`. */
  readonly positions: Database['branches']
  readonly onBranch: EventLog['onBranch']
}

/** Those of a log that never does. */
export const NO_BRANCHES: LogBranches = { positions: () => [], onBranch: () => () => {} }
