import { sql } from 'kysely'
import type { Db } from '../unit.ts'
import type { PrunedKind, PruneUnit } from './retention-store.ts'

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
