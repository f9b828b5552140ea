import { LRUCache } from 'lru-cache'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { deeplyFrozen } from '../lib/deeply-frozen.ts'
import type { Transaction, TransactionSteps } from './group-commit.ts'
import type { RowsById } from './port.ts'
import { AGREEMENT_PAYERS, AGREEMENTS } from './rows/agreement-rows.ts'
import { PAYINS } from './rows/command-rows.ts'
import { LINKS } from './rows/link-rows.ts'
import { PAYMENT_PAYERS, PAYMENTS } from './rows/payment-rows.ts'
import type { Change } from './rows/rows.ts'
import type { AnySpec, KnownRow } from './rows/table.ts'
import { keyColumn } from './tables.ts'

/** Caches of committed rows that are read by primary key. */
export type CommittedRows = {
  readonly links: RowCache<PaymentLink>
  readonly payments: RowCache<Payment>
}

/** The cached committed rows of one table. */
export type RowCache<Row extends object> = {
  /** Returns undefined if the row is not cached. */
  get(id: string): Row | undefined
  /** Reads rows and caches them. */
  read(ids: readonly string[], rowsOf: (ids: readonly string[]) => Promise<Row[]>): Promise<Row[]>
}

/** The caches, with the steps and the transaction that keep them consistent with the database. All writes must use these. */
export type WatchedWriter = {
  readonly rows: CommittedRows
  readonly steps: TransactionSteps
  readonly transaction: Transaction
}

/** Cached rows per table; the oldest are evicted. */
const MAX_ROWS = 4_096

/** The tables whose rows decisions find again: a payment often has several webhooks within minutes. */
const RECENT: readonly AnySpec[] = [PAYMENTS, PAYMENT_PAYERS, LINKS, PAYINS, AGREEMENTS, AGREEMENT_PAYERS]

/**
 * Creates caches for a database that is written only through `steps` and `transaction`. Rows that a transaction changes are evicted
 * before they are written; if it runs its own queries, all rows are evicted. A row that is read is cached only if no transaction was open
 * at any time during its read, and frozen, because many responses share it. What decisions loaded and changed is cached for later ones
 * after their commit, also that there is no row.
 */
export function cacheCommittedRows(steps: TransactionSteps, transaction: Transaction): WatchedWriter {
  /** Counter of transaction boundaries: odd while a transaction is open, else even. */
  let phase = 0
  const tables = {
    links: new LRUCache<string, PaymentLink>({ max: MAX_ROWS }),
    payments: new LRUCache<string, Payment>({ max: MAX_ROWS }),
  }
  const recent = new Map(RECENT.map((spec) => [spec, new LRUCache<string, KnownRow>({ max: MAX_ROWS })]))
  const drop = ({ spec, updated, deleted }: Change) => {
    const cached = tables[spec.name as keyof typeof tables] as LRUCache<string, object> | undefined
    if (cached === undefined) return
    for (const { row } of updated) cached.delete(String(row[keyColumn(spec)]))
    for (const id of deleted) cached.delete(id)
  }
  const end = () => {
    if (phase % 2 === 1) phase += 1
  }
  const cacheOf = <Row extends object>(cached: LRUCache<string, Row>, idOf: (row: Row) => string): RowCache<Row> => ({
    // Without the order of use, which takes longer than the look-up.
    get: (id) => cached.peek(id),
    async read(ids, rowsOf) {
      const began = phase
      const rows = await rowsOf(ids)
      if (began % 2 === 0 && began === phase) for (const row of rows) cached.set(idOf(row), deeplyFrozen(row))
      return rows
    },
  })
  return {
    rows: { links: cacheOf(tables.links, ({ id }) => id), payments: cacheOf(tables.payments, ({ id }) => id) },
    steps: {
      begin() {
        end()
        phase += 1
        steps.begin()
      },
      commit() {
        steps.commit()
        end()
      },
      rollback() {
        steps.rollback()
        end()
      },
    },
    transaction: {
      load: transaction.load,
      async store(changes) {
        for (const change of changes) drop(change)
        return transaction.store(changes)
      },
      get db() {
        for (const cached of [...Object.values(tables), ...recent.values()]) cached.clear()
        return transaction.db
      },
      recentOf(spec) {
        const known = recent.get(spec)
        // Without the order of use, like the rows that are read.
        return known === undefined
          ? null
          : { get: (key) => known.peek(key), set: (key, row) => void known.set(key, row) }
      },
    },
  }
}

/** Returns the reads by primary key, with the cache if there is one. */
export function readByIds<Row extends object>(
  rowsOf: (ids: readonly string[]) => Promise<Row[]>,
  cache: RowCache<Row> | null,
): RowsById<Row> {
  if (cache === null) return { byIds: rowsOf, cached: () => undefined }
  return {
    cached: cache.get,
    async byIds(ids) {
      const cached = ids.map(cache.get)
      const missing = ids.filter((_id, index) => cached[index] === undefined)
      const known = cached.filter((row) => row !== undefined)
      return missing.length === 0 ? known : [...known, ...(await cache.read(missing, rowsOf))]
    },
  }
}
