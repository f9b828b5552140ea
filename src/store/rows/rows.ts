import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import { AGREEMENT_PAYERS, AGREEMENTS } from './agreement-rows.ts'
import { ATTEMPTS, COMMANDS, PAYINS, REFUND_REQUESTS } from './command-rows.ts'
import { DELIVERIES, PRUNED_DELIVERIES } from './delivery-rows.ts'
import { GATEWAY_PAYMENTS } from './gateway-payment-rows.ts'
import { LINKS } from './link-rows.ts'
import { EVENTS, LOG_HEAD, STREAMS, GATEWAY_PAYMENT_EVENTS, PAYOUT_EVENTS } from './log-rows.ts'
import { PAYMENT_NOTES } from './note-rows.ts'
import { DUPLICATE_PAYMENTS, PAID_ORDERS } from './order-rows.ts'
import { PAYMENT_PAYERS, PAYMENTS } from './payment-rows.ts'
import { PAYOUT_PAYEES, PAYOUTS } from './payout-rows.ts'
import { PAYMENT_STATISTICS, type PaymentRowChange, statisticsOf } from './statistics-rows.ts'
import {
  type AnySpec,
  type Journal,
  type RecentRows,
  type StoredRow,
  type Table,
  type TableChanges,
  type TableSpec,
  trackTable,
} from './table.ts'
import { DELIVERY_REPLAYS, PAYMENT_IMPORT_ENTRIES, PAYMENT_IMPORTS, LEASES, META, READ_PACES } from './upkeep-rows.ts'

/** All tables in the order in which they are written: referenced rows come before the rows that refer to them. */
const SPECS = {
  payments: PAYMENTS,
  paymentPayers: PAYMENT_PAYERS,
  links: LINKS,
  payins: PAYINS,
  agreements: AGREEMENTS,
  agreementPayers: AGREEMENT_PAYERS,
  attempts: ATTEMPTS,
  commands: COMMANDS,
  payouts: PAYOUTS,
  payoutPayees: PAYOUT_PAYEES,
  gatewayPayments: GATEWAY_PAYMENTS,
  refundRequests: REFUND_REQUESTS,
  paymentNotes: PAYMENT_NOTES,
  paidOrders: PAID_ORDERS,
  duplicates: DUPLICATE_PAYMENTS,
  deliveries: DELIVERIES,
  prunedDeliveries: PRUNED_DELIVERIES,
  events: EVENTS,
  payoutEvents: PAYOUT_EVENTS,
  gatewayPaymentEvents: GATEWAY_PAYMENT_EVENTS,
  streams: STREAMS,
  logHead: LOG_HEAD,
  leases: LEASES,
  readPaces: READ_PACES,
  meta: META,
  imports: PAYMENT_IMPORTS,
  importEntries: PAYMENT_IMPORT_ENTRIES,
  deliveryReplays: DELIVERY_REPLAYS,
} as const

/** The tables that contain events. */
const LOGS: ReadonlySet<AnySpec> = new Set([EVENTS, PAYOUT_EVENTS, GATEWAY_PAYMENT_EVENTS])

type Specs = typeof SPECS
type TableOf<Spec> = Spec extends TableSpec<infer Row, infer Name> ? Table<Row, Name> : never

/** The rows of decisions, by table. They are loaded in bulk, changed in memory and stored in bulk. */
export type Rows = { readonly [Name in keyof Specs]: TableOf<Specs[Name]> }

/** Rows to load: those of a table that a lookup finds by one of these keys. */
export type Load = { readonly spec: AnySpec; readonly lookup: string; readonly keys: readonly string[] }

/** The rows to write to one table. */
export type Change = TableChanges & { readonly spec: AnySpec }

/** Returns the recent rows of a table; null for a table without. */
export type RecentRowsOf = (spec: AnySpec) => RecentRows | null

/** Rows of one transaction, with the missing and the changed ones. */
export type TrackedRows = {
  readonly rows: Rows
  /** Returns the rows that decisions requested and that are not loaded. */
  missing(): Load[]
  fill(load: Load, found: readonly StoredRow[]): void
  /** Keeps the changes since the last call. */
  keep(): void
  /** Undoes the changes since the last `keep`. */
  undo(): void
  changes(): Change[]
  /** Adds the loaded and the changed rows to the recent ones. Called once the changes are committed. */
  remember(): void
  /** Returns the appended events, by position. */
  appended(): readonly PaymentEvent[]
}

/** Creates tracked rows, of which none is loaded. `recentOf` returns the recent rows of a table; null for a table without. */
export function trackRows(recentOf: RecentRowsOf = () => null): TrackedRows {
  const journal: Journal = []
  const specs: readonly (readonly [string, AnySpec])[] = Object.entries(SPECS)
  const byName = specs.map(([name, spec]) => [name, trackTable(spec, journal, recentOf(spec))] as const)
  const tables = byName.map(([, table]) => table)
  return {
    rows: Object.fromEntries(byName) as unknown as Rows,
    missing: () =>
      tables.flatMap((table) =>
        Array.from(table.wanted(), ([lookup, keys]) => ({ spec: table.spec, lookup, keys: [...keys] })),
      ),
    fill({ spec, lookup, keys }, found) {
      const table = tables.find((candidate) => candidate.spec === spec)
      const inOrder = spec.numbered === true && found.length > 1 ? found.toSorted(byNumber) : found
      table?.fill(lookup, keys, inOrder)
    },
    keep() {
      journal.length = 0
    },
    remember() {
      for (const table of tables) table.remember()
    },
    undo() {
      for (let step = journal.pop(); step !== undefined; step = journal.pop()) step()
    },
    appended: () =>
      tables
        .flatMap((table) => (LOGS.has(table.spec) ? (table.all() as readonly PaymentEvent[]) : []))
        .toSorted((a, b) => a.position - b.position),
    changes: () => {
      const payments = tables.find(({ spec }) => spec === PAYMENTS)?.changedRows() ?? []
      const statistics = statisticsOf(payments as readonly PaymentRowChange[])
      return [
        ...tables.flatMap((table) => {
          const changes = { spec: table.spec, ...table.changes() }
          const { inserted, updated, deleted } = changes
          if (table.spec.derived !== undefined || inserted.length + updated.length + deleted.length === 0) return []
          return [changes]
        }),
        ...(statistics.length === 0
          ? []
          : [{ spec: PAYMENT_STATISTICS, inserted: statistics, updated: [], deleted: [] }]),
      ]
    },
  }
}

/** By creation. */
function byNumber(a: StoredRow, b: StoredRow): number {
  return Number(a['number']) - Number(b['number'])
}
