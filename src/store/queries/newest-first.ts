import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { PageCursor, Placed } from '../store.ts'
import type { ListOrder, Range } from './merge-ranges.ts'

/** What a row of such a list is read with: its number, and the instant that the list may be asked for by. */
type Row = { readonly number: number; readonly at: number }

/**
 * A page of a list, newest first: by number, or by the instant of a column and number where one is asked for, since no index
 * finds rows by the one and has them in the order of the other.
 */
export type NewestFirst = {
  readonly order: ListOrder<keyof Row>
  /** What holds of every row of the page. */
  readonly conditions: Range
  /** What a row was read to, with its place in the list. */
  placed<Value>(place: Row, row: Value): Placed<Value>
}

type Asked = { readonly from: Date | undefined; readonly until: Date | undefined; readonly before: PageCursor | null }

/** `column` holds the instant, `until` is left out itself. Throws `RangeError` for a place of the list's other order. */
export function newestFirst(
  table: 'payments' | 'links' | 'agreements',
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

/** As an expression, since a planner may otherwise read the table itself in the order of its key. */
export const ROW_NUMBER = sql<number>`(+number)`

/** Rows that come behind a place in a list by number. */
function behind(before: PageCursor | null): Range {
  return before === null ? [] : [sql`${ROW_NUMBER} < ${before.number}`]
}

function withinInstants(at: RawBuilder<unknown>, from: Date | undefined, end: Row | null): Range {
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${at} >= ${from.getTime()}`]),
    ...(end === null ? [] : [sql<SqlBool>`(${at}, number) < (${end.at}, ${end.number})`]),
  ]
}

/** Numbers begin at 1, so that an instant with 0 stands before all of it. An index is served better by one bound than by two. */
function endOf(until: Date | undefined, before: PageCursor | null): Row | null {
  const ends = [
    ...(until === undefined ? [] : [{ at: until.getTime(), number: 0 }]),
    ...(before === null ? [] : [{ at: before.at ?? 0, number: before.number }]),
  ]
  return ends.toSorted((a, b) => a.at - b.at || a.number - b.number)[0] ?? null
}
