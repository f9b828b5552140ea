import type { ReadPace } from '../../domain/reads/read-pace.ts'
import type { LeaseName } from '../lease-store.ts'
import { ONLY } from './log-rows.ts'
import type { TableSpec } from './table.ts'

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
  columns: { name: 'text', owner: 'text', until: 'integer', fence: 'integer' },
  keyOf: ({ name }) => name,
  lookups: { name: { columns: ['name'], keyOf: ({ name }) => name } },
  fromRow: ({ name, owner, until, fence }) => ({
    name: name as LeaseName,
    owner: String(owner),
    until: Number(until),
    fence: Number(fence),
  }),
  toRow: ({ name, owner, until, fence }) => ({ name, owner, until, fence }),
}

/** How fast all processes together read a site. Instants are milliseconds since the epoch by the database's clock. */
export type ReadPaceRow = ReadPace & { readonly site: string }

export const READ_PACES: TableSpec<ReadPaceRow, 'site'> = {
  name: 'read_paces',
  columns: { site: 'text', share: 'integer', slots: 'text', halved_at: 'integer', closed_until: 'integer' },
  keyOf: ({ site }) => site,
  lookups: { site: { columns: ['site'], keyOf: ({ site }) => site } },
  fromRow: (row) => ({
    site: String(row['site']),
    share: Number(row['share']),
    slots: JSON.parse(String(row['slots'])) as number[],
    halvedAt: Number(row['halved_at']),
    closedUntil: Number(row['closed_until']),
  }),
  toRow: ({ site, share, slots, halvedAt, closedUntil }) => ({
    site,
    share,
    slots: JSON.stringify(slots),
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
  /** The progress of the sweep; null at its start. */
  readonly sweepCursor: string | null
}

export const META: TableSpec<MetaRow, 'id'> = {
  name: 'meta',
  columns: {
    id: 'integer',
    log_id: 'text',
    opened_at: 'integer',
    heartbeat_at: 'integer',
    sweep_from: 'integer',
    sweep_cursor: 'text',
  },
  keyOf: () => ONLY,
  lookups: { id: { columns: ['id'], keyOf: () => ONLY } },
  fromRow: (row) => ({
    logId: String(row['log_id']),
    openedAt: Number(row['opened_at']),
    heartbeatAt: row['heartbeat_at'] as number | null,
    sweepFrom: row['sweep_from'] as number | null,
    sweepCursor: row['sweep_cursor'] as string | null,
  }),
  toRow: ({ logId, openedAt, heartbeatAt, sweepFrom, sweepCursor }) => ({
    id: Number(ONLY),
    log_id: logId,
    opened_at: openedAt,
    heartbeat_at: heartbeatAt,
    sweep_from: sweepFrom,
    sweep_cursor: sweepCursor,
  }),
}
