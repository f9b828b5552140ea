import { sql } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { PaymentEvent } from '../../domain/payments/payment-event.ts'
import type { Db } from '../decide.ts'

/** What is pruned when it is old: events by the instant at which they were recorded, deliveries by that of their first receipt. */
export type PrunedKind = 'events' | 'payout_events' | 'gateway_payment_events' | 'deliveries'

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
