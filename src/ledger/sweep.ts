import { planNoLater, type PlannedRead, type ReadPlan } from '../domain/reads/read-schedule.ts'
import type { SweepPage } from '../store/port.ts'
import { ONLY } from '../store/rows/log-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import type { MetaRow } from '../store/rows/upkeep-rows.ts'
import type { Ledger } from './subjects/subject.ts'

/**
 * Time between the reads of two open links, in milliseconds. There may be many of them, and they are less urgent than what is under way: so
 * they take a quarter of the rate of one site at most, and those that expire meanwhile are read then.
 */
export const BETWEEN_LINKS_MS = 2_000

/** Returns the meta row. Throws an `Error` if there is none. */
function metaOf(rows: Rows): MetaRow {
  const meta = rows.meta.first('id', ONLY)
  if (meta === null) throw new Error('The database has no meta row.')
  return meta
}

/** Records a heartbeat. */
export function beat({ rows }: Ledger, now: Date): void {
  rows.meta.put({ ...metaOf(rows), heartbeatAt: now.getTime() })
}

/**
 * Starts a sweep and records a heartbeat in one transaction, so that the gap cannot be lost. An unfinished sweep goes on, from the earlier of
 * both instants.
 */
export function beginSweep({ rows }: Ledger, from: Date, now: Date): void {
  const meta = metaOf(rows)
  const sweepFrom = Math.min(from.getTime(), meta.sweepFrom ?? Number.POSITIVE_INFINITY)
  rows.meta.put({ ...meta, sweepFrom, sweepLinks: 0, heartbeatAt: now.getTime() })
}

/** Brings the reads of a page forward. Returns false if another process has gone on with the sweep, or ended it, meanwhile. */
export function sweepPage(rows: Rows, { links, page, now }: { links: number; page: SweepPage; now: number }): boolean {
  const { table, ids } = page
  for (const id of ids) rows[table].want('id', id)
  const meta = metaOf(rows)
  if (meta.sweepFrom === null || meta.sweepLinks !== links) return false
  for (const [index, id] of ids.entries()) {
    if (table === 'links')
      bringForward(rows.links, id, { at: now + (links + index) * BETWEEN_LINKS_MS, readClass: 'expiry' })
    else if (table === 'payments') bringForward(rows.payments, id, { at: now, readClass: 'poll' })
    else if (table === 'agreements') bringForward(rows.agreements, id, { at: now, readClass: 'poll' })
    else bringForward(rows.payouts, id, { at: now, readClass: 'poll' })
  }
  if (table === 'links') rows.meta.put({ ...meta, sweepLinks: links + ids.length })
  return true
}

/** Ends the sweep. */
export function endSweep(rows: Rows): void {
  rows.meta.put({ ...metaOf(rows), sweepFrom: null, sweepLinks: 0 })
}

/** Leaves out what has happened to the row since: nothing is read of it any more. */
function bringForward<Row extends { readonly plan: ReadPlan }>(
  table: { first(lookup: 'id', id: string): Row | null; put(row: Row): void },
  id: string,
  next: PlannedRead,
): void {
  const row = table.first('id', id)
  if (row !== null && row.plan.dueAt !== null) table.put({ ...row, plan: planNoLater(row.plan, next) })
}
