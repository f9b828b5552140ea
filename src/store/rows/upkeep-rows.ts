import type { ReplayReport } from '../../domain/bulk-replay.ts'
import type { ImportPlace, ImportPlan, PaymentImport } from '../../domain/imports/import-plan.ts'
import type { PartReport } from '../../domain/imports/import-report.ts'
import type { ReadPace } from '../../domain/reads/read-pace.ts'
import type { DeliveriesReplay, DeliveryFilter } from '../replay-store.ts'
import { ONLY } from './log-rows.ts'
import type { TableSpec, Flag, Numbering, StoredRow } from './table.ts'

/** Name of a task that only one process may do at a time. */
export type LeaseName = 'reader'

/** A lease: the process that does a task which only one may do at a time. */
export type LeaseRow = {
  readonly name: LeaseName
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly until: number
  readonly fence: number
}

export const LEASES: TableSpec<LeaseRow, 'name'> = {
  name: 'leases',
  columns: { name: 'text', owner: 'text', until: 'integer', fencing_number: 'integer' },
  keyOf: ({ name }) => name,
  lookups: { name: { columns: ['name'], keyOf: ({ name }) => name } },
  fromRow: ({ name, owner, until, fencing_number: fence }) => ({
    name: name as LeaseName,
    owner: String(owner),
    until: Number(until),
    fence: Number(fence),
  }),
  toRow: ({ name, owner, until, fence }) => ({ name, owner, until, fencing_number: fence }),
}

/** How fast all processes together read a site. Instants are milliseconds since the epoch by the database's clock. */
export type ReadPaceRow = ReadPace & { readonly site: string }

export const READ_PACES: TableSpec<ReadPaceRow, 'site'> = {
  name: 'read_paces',
  columns: { site: 'text', share: 'integer', last_at: 'integer', halved_at: 'integer', closed_until: 'integer' },
  keyOf: ({ site }) => site,
  lookups: { site: { columns: ['site'], keyOf: ({ site }) => site } },
  fromRow: (row) => ({
    site: String(row['site']),
    share: Number(row['share']),
    lastAt: Number(row['last_at']),
    halvedAt: Number(row['halved_at']),
    closedUntil: Number(row['closed_until']),
  }),
  toRow: ({ site, share, lastAt, halvedAt, closedUntil }) => ({
    site,
    share,
    last_at: lastAt,
    halved_at: halvedAt,
    closed_until: closedUntil,
  }),
}

/** Facts about the database as a whole. Instants in milliseconds since the epoch. */
export type MetaRow = {
  readonly logId: string
  readonly openedAt: number
  readonly heartbeatAt: number | null
  /** The `from` of the unfinished sweep; null if there is none. */
  readonly sweepFrom: number | null
  /** Links that it has brought forward so far. */
  readonly sweepLinks: number
}

export const META: TableSpec<MetaRow, 'id'> = {
  name: 'meta',
  columns: {
    id: 'integer',
    log_id: 'text',
    opened_at: 'integer',
    heartbeat_at: 'integer',
    sweep_from: 'integer',
    sweep_links: 'integer',
  },
  keyOf: () => ONLY,
  lookups: { id: { columns: ['id'], keyOf: () => ONLY } },
  fromRow: (row) => ({
    logId: String(row['log_id']),
    openedAt: Number(row['opened_at']),
    heartbeatAt: row['heartbeat_at'] as number | null,
    sweepFrom: row['sweep_from'] as number | null,
    sweepLinks: Number(row['sweep_links']),
  }),
  toRow: ({ logId, openedAt, heartbeatAt, sweepFrom, sweepLinks }) => ({
    id: Number(ONLY),
    log_id: logId,
    opened_at: openedAt,
    heartbeat_at: heartbeatAt,
    sweep_from: sweepFrom,
    sweep_links: sweepLinks,
  }),
}

export type PaymentImportsTable = {
  number: Numbering
  from_at: number
  to_at: number
  dry_run: Flag
  daily: Flag
  requested_by: string | null
  requested_at: number
  parts_json: string
  places_json: string
  reports_json: string
  done_at: number | null
}

export type PaymentImportEntriesTable = { key: string }

export const PAYMENT_IMPORTS: TableSpec<PaymentImport, 'number'> = {
  name: 'payment_imports',
  columns: {
    number: 'integer',
    from_at: 'integer',
    to_at: 'integer',
    dry_run: 'integer',
    daily: 'integer',
    requested_by: 'text',
    requested_at: 'integer',
    parts_json: 'text',
    places_json: 'text',
    reports_json: 'text',
    done_at: 'integer',
  },
  keyOf: ({ number }) => String(number),
  lookups: { number: { columns: ['number'], keyOf: ({ number }) => String(number) } },
  fromRow: toImport,
  toRow: ({ number, plan, dryRun, daily, requestedBy, requestedAt, places, reports, doneAt }) => ({
    number,
    from_at: plan.from,
    to_at: plan.to,
    dry_run: dryRun ? 1 : 0,
    daily: daily ? 1 : 0,
    requested_by: requestedBy,
    requested_at: requestedAt,
    parts_json: JSON.stringify(plan.parts),
    places_json: JSON.stringify(places),
    reports_json: JSON.stringify(reports),
    done_at: doneAt,
  }),
}

/** Returns the import of a row. */
export function toImport(row: StoredRow): PaymentImport {
  return {
    number: Number(row['number']),
    plan: {
      from: Number(row['from_at']),
      to: Number(row['to_at']),
      parts: JSON.parse(String(row['parts_json'])) as ImportPlan['parts'],
    },
    dryRun: row['dry_run'] === 1,
    daily: row['daily'] === 1,
    requestedBy: row['requested_by'] as string | null,
    requestedAt: Number(row['requested_at']),
    places: JSON.parse(String(row['places_json'])) as ImportPlace[],
    reports: JSON.parse(String(row['reports_json'])) as PartReport[],
    doneAt: row['done_at'] as number | null,
  }
}

export type DeliveryReplaysTable = {
  number: Numbering
  filter_json: string
  dry_run: Flag
  requested_by: string | null
  requested_at: number
  place: number
  last: number
  report_json: string
  cancelled: Flag
  done_at: number | null
}

export const DELIVERY_REPLAYS: TableSpec<DeliveriesReplay, 'number'> = {
  name: 'delivery_replays',
  columns: {
    number: 'integer',
    filter_json: 'text',
    dry_run: 'integer',
    requested_by: 'text',
    requested_at: 'integer',
    place: 'integer',
    last: 'integer',
    report_json: 'text',
    cancelled: 'integer',
    done_at: 'integer',
  },
  keyOf: ({ number }) => String(number),
  lookups: { number: { columns: ['number'], keyOf: ({ number }) => String(number) } },
  fromRow: toReplay,
  toRow: (replay) => ({
    number: replay.number,
    filter_json: filterJson(replay.filter),
    dry_run: replay.dryRun ? 1 : 0,
    requested_by: replay.requestedBy,
    requested_at: replay.requestedAt,
    place: replay.place,
    last: replay.last,
    report_json: JSON.stringify(replay.report),
    cancelled: replay.cancelled ? 1 : 0,
    done_at: replay.doneAt,
  }),
}

/** Returns the replay of a row. */
export function toReplay(row: StoredRow): DeliveriesReplay {
  const { receivedFrom, receivedBefore, ...filter } = JSON.parse(String(row['filter_json'])) as StoredFilter
  return {
    number: Number(row['number']),
    filter: {
      ...filter,
      ...(receivedFrom === undefined ? {} : { receivedFrom: new Date(receivedFrom) }),
      ...(receivedBefore === undefined ? {} : { receivedBefore: new Date(receivedBefore) }),
    },
    dryRun: row['dry_run'] === 1,
    requestedBy: row['requested_by'] as string | null,
    requestedAt: Number(row['requested_at']),
    place: Number(row['place']),
    last: Number(row['last']),
    report: JSON.parse(String(row['report_json'])) as ReplayReport,
    cancelled: row['cancelled'] === 1,
    doneAt: row['done_at'] as number | null,
  }
}

type StoredFilter = Omit<DeliveryFilter, 'receivedFrom' | 'receivedBefore'> & {
  readonly receivedFrom?: string
  readonly receivedBefore?: string
}

/** Returns a filter as it is stored. */
export function filterJson(filter: DeliveryFilter): string {
  return JSON.stringify(filter)
}

/** An object that a running import has seen in a list, so that it is counted once. */
export type ImportEntryRow = { readonly key: string }

export const PAYMENT_IMPORT_ENTRIES: TableSpec<ImportEntryRow, 'key'> = {
  name: 'payment_import_entries',
  columns: { key: 'text' },
  keyOf: ({ key }) => key,
  lookups: { key: { columns: ['key'], keyOf: ({ key }) => key } },
  fromRow: ({ key }) => ({ key: String(key) }),
  toRow: ({ key }) => ({ key }),
}

/** Returns what the keys of the entries of a part begin with. */
export function entryPrefix(number: number, part: number): string {
  return `${number}/${part}/`
}
