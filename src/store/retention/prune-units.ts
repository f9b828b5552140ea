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
