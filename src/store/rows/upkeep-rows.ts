import type { ReplayReport } from '../../domain/bulk-replay.ts'
import type { ImportPlace, ImportPlan, PaymentImport } from '../../domain/imports/import-plan.ts'
import type { PartReport } from '../../domain/imports/import-report.ts'
import type { DeliveryFilter } from '../replay-store.ts'
import {
  type Column,
  flag,
  integer,
  json,
  named,
  numbering,
  reshaped,
  type RowOf,
  type TableOf,
  tableOf,
  text,
} from './columns.ts'
import { ONLY } from './log-rows.ts'
import type { TableSpec } from './table.ts'

/** Name of a task that only one process may do at a time. */
export type LeaseName = 'reader'

/** The processes that do a task which only one may do at a time. `until` is in milliseconds since the epoch. */
export const LEASES = tableOf(
  'leases',
  { name: text<LeaseName>(), owner: text(), until: integer(), fence: named('fencing_number', integer()) },
  ['name'],
)

export type LeasesTable = TableOf<typeof LEASES.fields>

/** How fast all processes together read a site. Instants are milliseconds since the epoch by the database's clock. */
export const READ_PACES = tableOf(
  'read_paces',
  { site: text(), share: integer(), lastAt: integer(), halvedAt: integer(), closedUntil: integer() },
  ['site'],
)

const meta = tableOf(
  'meta',
  {
    id: integer(),
    logId: text(),
    openedAt: integer(),
    heartbeatAt: integer<number | null>(),
    /** The `from` of the unfinished sweep; null if there is none. */
    sweepFrom: integer<number | null>(),
    /** Links that it has brought forward so far. */
    sweepLinks: integer(),
  },
  ['id'],
)

export type MetaTable = TableOf<typeof meta.fields>

/** Facts about the database as a whole. Instants in milliseconds since the epoch. */
export type MetaRow = Omit<RowOf<typeof meta.fields>, 'id'>

export const META: TableSpec<MetaRow, 'id'> = reshaped(
  meta,
  (row) => ({ id: Number(ONLY), ...row }),
  (row) => row,
)

const imports = tableOf(
  'payment_imports',
  {
    number: numbering,
    from: named('from_at', integer()),
    to: named('to_at', integer()),
    dryRun: flag,
    daily: flag,
    requestedBy: text<string | null>(),
    requestedAt: integer(),
    parts: named('parts_json', json<ImportPlan['parts']>()),
    places: named('places_json', json<readonly ImportPlace[]>()),
    reports: named('reports_json', json<readonly PartReport[]>()),
    doneAt: integer<number | null>(),
  },
  ['number'],
)

export type PaymentImportsTable = TableOf<typeof imports.fields>

export const PAYMENT_IMPORTS: TableSpec<PaymentImport, 'number'> = reshaped(
  imports,
  ({ plan, ...row }) => ({ ...plan, ...row }),
  ({ from, to, parts, ...row }) => ({ plan: { from, to, parts }, ...row }),
)

type StoredFilter = Omit<DeliveryFilter, 'receivedFrom' | 'receivedBefore'> & {
  readonly receivedFrom?: string
  readonly receivedBefore?: string
}

/** A filter as JSON, with its instants in ISO 8601. */
const filter: Column<DeliveryFilter, string> = {
  ...json<DeliveryFilter>(),
  read(stored) {
    const { receivedFrom, receivedBefore, ...others } = JSON.parse(String(stored)) as StoredFilter
    return {
      ...others,
      ...(receivedFrom === undefined ? {} : { receivedFrom: new Date(receivedFrom) }),
      ...(receivedBefore === undefined ? {} : { receivedBefore: new Date(receivedBefore) }),
    }
  },
}

export const DELIVERY_REPLAYS = tableOf(
  'delivery_replays',
  {
    number: numbering,
    filter: named('filter_json', filter),
    dryRun: flag,
    requestedBy: text<string | null>(),
    requestedAt: integer(),
    place: integer(),
    last: integer(),
    report: named('report_json', json<ReplayReport>()),
    cancelled: flag,
    doneAt: integer<number | null>(),
  },
  ['number'],
)

export type DeliveryReplaysTable = TableOf<typeof DELIVERY_REPLAYS.fields>

/** Objects that running imports have seen in a list, so that they are counted once. */
export const PAYMENT_IMPORT_ENTRIES = tableOf('payment_import_entries', { key: text() }, ['key'])

export type PaymentImportEntriesTable = TableOf<typeof PAYMENT_IMPORT_ENTRIES.fields>

/** Returns what the keys of the entries of a part begin with. */
export function entryPrefix(number: number, part: number): string {
  return `${number}/${part}/`
}
