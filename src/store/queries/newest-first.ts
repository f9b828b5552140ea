import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { PageCursor, Placed } from '../store.ts'
import type { ListOrder, Range } from './merge-ranges.ts'

/** The columns that determine the place of a row: its number, and the instant that a filter may use, in milliseconds since the epoch. */
type Row = { readonly number: number; readonly at: number }

/**
 * A page of a list, newest first: by number; by instant and number if the filter names an instant, because no index can select by instant
 * and be ordered by number.
 */
export type NewestFirst = {
  readonly order: ListOrder<keyof Row>
  /** The conditions of every row of the page. */
  readonly conditions: Range
  /** Returns the value of a row with its place in the list. */
  placed<Value>(place: Row, row: Value): Placed<Value>
}

type Asked = { readonly from: Date | undefined; readonly until: Date | undefined; readonly before: PageCursor | null }

/**
 * Returns the order and conditions of a page. `column` contains the instant; `until` is exclusive. Throws `RangeError` if `before` is a
 * place of the other order.
 */
export function newestFirst(
  table: 'payments' | 'links' | 'agreements' | 'payout_records' | 'gateway_payments',
  column: 'created_at' | 'updated_at',
  { from, until, before }: Asked,
): NewestFirst {
  const byInstant = from !== undefined || until !== undefined
  if (before !== null && ((before.at ?? null) !== null) !== byInstant)
    throw new RangeError('The place is one of the list in its other order.')
  const byNumber = { name: 'number', by: byInstant ? sql.ref('number') : ROW_NUMBER } as const
  const byTime = { name: 'at', by: sql.ref(column) } as const
  return {
    order: { table, columns: byInstant ? [byTime, byNumber] : [byNumber], direction: 'desc' },
    conditions: byInstant ? withinInstants(byTime.by, from, endOf(until, before)) : behind(before),
    placed: ({ number, at }, row) => ({ number, at: byInstant ? at : null, row }),
  }
}

/** The number as an expression: with the plain column a planner may scan the table in the order of its key. */
export const ROW_NUMBER = sql<number>`(+number)`

/** Returns the condition of the rows after a place in a list by number. */
function behind(before: PageCursor | null): Range {
  return before === null ? [] : [sql`${ROW_NUMBER} < ${before.number}`]
}

function withinInstants(at: RawBuilder<unknown>, from: Date | undefined, end: Row | null): Range {
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${at} >= ${from.getTime()}`]),
    ...(end === null ? [] : [sql<SqlBool>`(${at}, number) < (${end.at}, ${end.number})`]),
  ]
}

/** Returns the lower of both bounds, because one bound suits an index better than two. Number 0 precedes all rows of an instant. */
function endOf(until: Date | undefined, before: PageCursor | null): Row | null {
  const ends = [
    ...(until === undefined ? [] : [{ at: until.getTime(), number: 0 }]),
    ...(before === null ? [] : [{ at: before.at ?? 0, number: before.number }]),
  ]
  return ends.toSorted((a, b) => a.at - b.at || a.number - b.number)[0] ?? null
}
