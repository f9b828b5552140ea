import { type Selectable, sql } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import type { Db, GroupCommit } from '../group-commit.ts'
import { type DeliveriesTable, toDelivery } from '../rows/delivery-rows.ts'
import { EVENTS, type EventsTable, GATEWAY_PAYMENT_EVENTS, PAYOUT_EVENTS } from '../rows/log-rows.ts'
import type { StoredRow } from '../rows/table.ts'
import type { PrunedKind } from './kinds.ts'

/** Rows per transaction, for which other writes wait. */
const PRUNED_AT_ONCE = 200
const PURGED_AT_ONCE = 500

/** Creates the part of a store that archives and prunes. `lists` reads outside the event loop where the database can. */
export function createRetentionStore(
  lists: Db,
  exclusively: GroupCommit['exclusively'],
  units: PruneUnits,
): RetentionStore {
  return {
    prepare: units.prepare,
    due: units.due,
    archivedTo: (unit) => endOfArchives(lists, unit),
    async page(unit, after, limit) {
      const page = { after, limit }
      const { kind } = unit
      if (kind === 'deliveries')
        return (await deliveriesOf(lists, unit, page)).map((row) => ({ place: row.number, row: toDelivery(row) }))
      const events = await eventsOf<StoredEvent>(lists, unit, page)
      return events.map((row) => ({ place: row.position, row: EVENT_SPECS[kind].fromRow(row) }))
    },
    record: (archive) => exclusively(({ db }) => insertArchive(db, archive)),
    async pruneSome(unit, after) {
      const last = await endOfArchives(lists, unit)
      return exclusively(async ({ db }) => {
        const keep = unit.kind === 'deliveries' ? keepDeliveryKeys : keepSequences
        const end = await keep(db, unit, { after, limit: PRUNED_AT_ONCE, last })
        if (end === null) await units.removeUnit(db, unit, last)
        else await units.remove(db, unit, end)
        return end
      })
    },
    purgeKeys: (before) => exclusively(({ db }) => purgeKeys(db, before.getTime())),
  }
}

type StoredEvent = StoredRow & { readonly position: number; readonly recorded_at: number }

const EVENT_SPECS = {
  events: EVENTS,
  payout_events: PAYOUT_EVENTS,
  gateway_payment_events: GATEWAY_PAYMENT_EVENTS,
} as const

type Page = { readonly after: number; readonly limit: number }
/** `last` is the place up to which the unit is archived. */
type Slice = Page & { readonly last: number }

async function eventsOf<Row extends { readonly position: number; readonly recorded_at: number }>(
  db: Db,
  { table, until }: PruneUnit,
  page: Page,
): Promise<Row[]> {
  const rows = await rowsOf<Row>(db, { table, place: 'position' }, page)
  return beforeEnd(rows, (row) => row.recorded_at < until)
}

async function deliveriesOf(db: Db, { table, until }: PruneUnit, page: Page): Promise<Selectable<DeliveriesTable>[]> {
  const rows = await rowsOf<Selectable<DeliveriesTable>>(db, { table, place: 'number' }, page)
  return beforeEnd(rows, (row) => row.first_received_at < until)
}

async function rowsOf<Row>(
  db: Db,
  { table, place }: { readonly table: string; readonly place: string },
  { after, limit }: Page,
): Promise<Row[]> {
  const by = sql.ref(place)
  const found = await sql<Row>`
    SELECT * FROM ${sql.table(table)} WHERE ${by} > ${after} ORDER BY ${by} LIMIT ${limit}`.execute(db)
  return found.rows
}

/** Returns the rows up to the first of a later unit, which a table without partitions contains, too. */
function beforeEnd<Row>(rows: Row[], isOfUnit: (row: Row) => boolean): Row[] {
  const end = rows.findIndex((row) => !isOfUnit(row))
  return end === -1 ? rows : rows.slice(0, end)
}

async function endOfArchives(db: Db, { kind, until }: PruneUnit): Promise<number> {
  const row = await db
    .selectFrom('archives')
    .select('last')
    .where('kind', '=', kind)
    .where('until', '=', until)
    .orderBy('last', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.last ?? 0
}

async function insertArchive(db: Db, { archivedAt, ...archive }: Archive): Promise<void> {
  await db
    .insertInto('archives')
    .values({ ...archive, archived_at: archivedAt })
    .execute()
}

type EventPlace = Pick<Selectable<EventsTable>, 'position' | 'stream_id' | 'sequence' | 'recorded_at'>

/**
 * Keeps the last sequence of each stream, so that its next event does not get the id of a pruned one, and moves the horizon. Returns the
 * position of the last event; null if no archived event is left.
 */
async function keepSequences(db: Db, unit: PruneUnit, slice: Slice): Promise<number | null> {
  const events = (await eventsOf<EventPlace>(db, unit, slice)).filter(({ position }) => position <= slice.last)
  const last = events.at(-1)?.position
  if (last === undefined) return null
  const sequences = new Map(events.map((event) => [event.stream_id, event.sequence]))
  await db
    .insertInto('pruned_streams')
    .values(Array.from(sequences, ([id, sequence]) => ({ stream_id: id, sequence })))
    .onConflict((conflict) =>
      conflict
        .column('stream_id')
        .doUpdateSet({ sequence: (eb) => eb.ref('excluded.sequence') })
        .whereRef('excluded.sequence', '>', 'pruned_streams.sequence'),
    )
    .execute()
  await db.updateTable('log_head').set({ horizon: last }).where('horizon', '<', last).execute()
  return last
}

/** Keeps the keys by which repeats are recognised. Returns the number of the last delivery; null if no archived delivery is left. */
async function keepDeliveryKeys(db: Db, unit: PruneUnit, slice: Slice): Promise<number | null> {
  const deliveries = (await deliveriesOf(db, unit, slice)).filter(({ number }) => number <= slice.last)
  const last = deliveries.at(-1)?.number
  if (last === undefined) return null
  const keys = deliveries.map(({ id, disposition, first_received_at: at }) => ({
    id,
    disposition,
    received_at: at,
  }))
  await db
    .insertInto('pruned_deliveries')
    .values(keys)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return last
}

async function purgeKeys(db: Db, before: number): Promise<number> {
  const old = db.selectFrom('pruned_deliveries').select('id').where('received_at', '<', before).limit(PURGED_AT_ONCE)
  const result = await db.deleteFrom('pruned_deliveries').where('id', 'in', old).executeTakeFirst()
  const orders = db.selectFrom('paid_orders').select('id').where('updated_at', '<', before).limit(PURGED_AT_ONCE)
  const forgotten = await db.deleteFrom('paid_orders').where('id', 'in', orders).executeTakeFirst()
  return Number(result.numDeletedRows) + Number(forgotten.numDeletedRows)
}

/** A row to be archived. Its place is the position of an event, in whichever table, or the number of a delivery. */
export type ArchivedRow = { readonly place: number; readonly row: PaymentEvent | Delivery }

/** Rows that are archived and pruned together: those of one month; of a partitioned table those of one partition. */
export type PruneUnit = {
  readonly kind: PrunedKind
  /** The end of the unit, exclusive, in milliseconds since the epoch. */
  readonly until: number
  /** The table that contains its rows. */
  readonly table: string
}

/** A range of archived rows. */
export type Archive = {
  readonly kind: PrunedKind
  /** The end of its unit. */
  readonly until: number
  /** Places of the first and the last row. */
  readonly first: number
  readonly last: number
  readonly count: number
  /** Name of the file; null if the rows were discarded. */
  readonly file: string | null
  /** Of the lines before compression, in hexadecimal digits; null without a file. */
  readonly sha256: string | null
  readonly archivedAt: number
}

/** Archives and prunes old rows. Used by one process at a time: see `reconciliation/upkeep.ts`. */
export type RetentionStore = {
  /** Creates the partitions of the next months; does nothing on a database without partitions. */
  prepare(now: Date): Promise<void>
  /** Returns the oldest unit that ended by `before`; null if there is none. */
  due(kind: PrunedKind, before: Date): Promise<PruneUnit | null>
  /** Place up to which the rows of a unit are archived; 0 at its start. */
  archivedTo(unit: PruneUnit): Promise<number>
  /** Returns the next rows of a unit in the order of their places; none at its end. */
  page(unit: PruneUnit, after: number, limit: number): Promise<readonly ArchivedRow[]>
  /** Records an archive. Its file must be on disk. */
  record(archive: Archive): Promise<void>
  /**
   * Prunes the next archived rows of a unit after a place: keeps the keys of deliveries and the sequences of streams, and moves the horizon of the log.
   * Returns the place of the last one; null at the end of the unit, which is then removed.
   */
  pruneSome(unit: PruneUnit, after: number): Promise<number | null>
  /** Deletes keys of pruned deliveries that were received before an instant, at most 500. Returns their number. */
  purgeKeys(before: Date): Promise<number>
}

/** How a database divides old rows into units and removes them. */
export type PruneUnits = {
  prepare(now: Date): Promise<void>
  due(kind: PrunedKind, before: Date): Promise<PruneUnit | null>
  /** Removes rows of a unit up to a place, if the database removes rows one by one. Part of a transaction. */
  remove(db: Db, unit: PruneUnit, upTo: number): Promise<void>
  /** Removes a unit of which all rows up to a place are archived. Throws if it contains others. Part of a transaction. */
  removeUnit(db: Db, unit: PruneUnit, last: number): Promise<void>
}

/** Returns the start of the month of an instant, plus some months, in UTC, in milliseconds since the epoch. */
export function startOfMonth(at: number, plusMonths = 0): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + plusMonths)
}

/** The column of the instant by which the rows of a table are pruned, and that of their places. */
export const PRUNED_BY = {
  events: { by: 'recorded_at', place: 'position' },
  payout_events: { by: 'recorded_at', place: 'position' },
  gateway_payment_events: { by: 'recorded_at', place: 'position' },
  deliveries: { by: 'first_received_at', place: 'number' },
} as const satisfies Record<PrunedKind, { readonly by: string; readonly place: string }>

/** Creates the units of a table without partitions: the rows at its beginning up to the end of the month of the first. */
export function rowUnits(reader: Db): Pick<PruneUnits, 'due' | 'remove'> {
  return {
    async due(kind, before) {
      const { by, place } = PRUNED_BY[kind]
      const { rows } = await sql<{ at: number }>`
        SELECT ${sql.ref(by)} AS at FROM ${sql.table(kind)} ORDER BY ${sql.ref(place)} LIMIT 1`.execute(reader)
      const [first] = rows
      if (first === undefined) return null
      const until = startOfMonth(first.at, 1)
      return until <= before.getTime() ? { kind, until, table: kind } : null
    },
    async remove(db, { kind, table }, upTo) {
      await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(PRUNED_BY[kind].place)} <= ${upTo}`.execute(db)
    },
  }
}
