import { isFinished } from '../domain/payouts/payout.ts'
import { planNoLater } from '../domain/reads/read-schedule.ts'
import type { SweepCursor, SweepPage, SweepPart } from '../store/port.ts'
import { ONLY } from '../store/rows/log-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import type { MetaRow } from '../store/rows/upkeep-rows.ts'

/** The parts of a sweep, in order. */
export const SWEEP_PARTS: readonly SweepPart[] = [
  'payments-changed',
  'payments-in-progress',
  'payments-refunding',
  'payments-disputed',
  'links-open',
  'agreements-changed',
  'agreements-created',
  'payouts-planned',
]

/** Returns the meta row. Throws an `Error` if there is none. */
export function metaOf(rows: Rows): MetaRow {
  const meta = rows.meta.first('id', ONLY)
  if (meta === null) throw new Error('The database has no meta row.')
  return meta
}

/** Starts a sweep and records a heartbeat. An unfinished sweep restarts from the earlier of both instants. */
export function beginSweep(rows: Rows, from: Date, now: Date): void {
  const meta = metaOf(rows)
  const sweepFrom = Math.min(from.getTime(), meta.sweepFrom ?? Number.POSITIVE_INFINITY)
  rows.meta.put({ ...meta, sweepFrom, sweepCursor: null, heartbeatAt: now.getTime() })
}

/** Parses a stored cursor; null is the start. */
export function parseSweepCursor(cursor: string | null): {
  readonly index: number
  readonly after: SweepCursor | null
} {
  if (cursor === null) return { index: 0, after: null }
  const [index = 0, at, number] = cursor.split(' ').map(Number)
  return { index, after: at === undefined || number === undefined ? null : { at, number } }
}

/** Plans the reads of a page and moves the cursor. Returns false if another process has moved it or has ended the sweep. */
export function sweepPage(
  rows: Rows,
  { cursor, index, page, now }: { cursor: string | null; index: number; page: SweepPage; now: number },
): boolean {
  for (const id of page.ids) rows[page.table].want('id', id)
  const meta = metaOf(rows)
  const { sweepFrom: from } = meta
  if (from === null || meta.sweepCursor !== cursor) return false
  for (const id of page.ids) planSwept(rows, page.table, { id, from, now })
  const next = page.next === null ? `${index + 1}` : `${index} ${page.next.at} ${page.next.number}`
  rows.meta.put({ ...meta, sweepCursor: next })
  return true
}

/** Ends the sweep. */
export function endSweep(rows: Rows): void {
  rows.meta.put({ ...metaOf(rows), sweepFrom: null, sweepCursor: null })
}

/**
 * Returns when the read of a swept row is due: now, minus a millisecond for each second since it was last confirmed, or since `from` if
 * that is later.
 */
function dueInOrder(confirmedAt: number, { from, now }: { from: number; now: number }): number {
  return now - Math.trunc((now - Math.max(confirmedAt, from)) / 1000)
}

function planSwept(
  rows: Rows,
  table: SweepPage['table'],
  { id, ...span }: { id: string; from: number; now: number },
): void {
  if (table === 'agreements') {
    const row = rows.agreements.first('id', id)
    if (row === null || row.state.status === 'cancelled' || row.state.status === 'failed') return
    rows.agreements.put({ ...row, plan: planNoLater(row.plan, { at: span.now, readClass: 'poll' }) })
    return
  }
  if (table === 'payouts') {
    const row = rows.payouts.first('id', id)
    if (row === null || isFinished(row.state)) return
    rows.payouts.put({ ...row, plan: planNoLater(row.plan, { at: span.now, readClass: 'poll' }) })
    return
  }
  if (table === 'payments') {
    const row = rows.payments.first('id', id)
    if (row !== null) rows.payments.put({ ...row, plan: planNoLater(row.plan, poll(row.confirmedAt, span)) })
    return
  }
  const row = rows.links.first('id', id)
  if (row !== null) rows.links.put({ ...row, plan: planNoLater(row.plan, poll(row.confirmedAt, span)) })
}

function poll(confirmedAt: number, span: { from: number; now: number }) {
  return { at: dueInOrder(confirmedAt, span), readClass: 'poll' } as const
}
