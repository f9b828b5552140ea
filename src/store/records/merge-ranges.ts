import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** Rows of one range of an index, which lie there in the order of the list. */
type Range<Table extends keyof Tables, Row> = SelectQueryBuilder<Tables, Table, Row>

/** The order of a list, by columns that its rows are read with. */
export type ListOrder<Column extends string> = {
  readonly columns: readonly Column[]
  readonly direction: 'asc' | 'desc'
}

/** Ranges of one statement. SQLite takes 500, and a plan costs time for each of them. */
const RANGES_PER_STATEMENT = 100

/**
 * The first rows of all ranges together. Each range is read only as far as the page needs it: both databases merge ranges
 * that are sorted already, so that a page costs one row of each range and those that it holds.
 */
export async function mergeRanges<Table extends keyof Tables, Column extends string, Row extends Record<Column, number>>(
  ranges: readonly Range<Table, Row>[],
  order: ListOrder<Column>,
  limit: number,
): Promise<Row[]> {
  let found: Row[] = []
  for (let start = 0; start < ranges.length; start += RANGES_PER_STATEMENT) {
    const query = union(ranges.slice(start, start + RANGES_PER_STATEMENT))
    const rows = await sorted(query, order).limit(limit).execute()
    found = start === 0 ? rows : firstOf([...found, ...rows], order, limit)
  }
  return found
}

/** The first rows of those that were read from several places. */
export function firstOf<Column extends string, Row extends Record<Column, number>>(
  rows: readonly Row[],
  { columns, direction }: ListOrder<Column>,
  limit: number,
): Row[] {
  const sign = direction === 'asc' ? 1 : -1
  const compare = (a: Row, b: Row): number => {
    const column = columns.find((name) => a[name] !== b[name])
    return column === undefined ? 0 : sign * (a[column] - b[column])
  }
  return rows.toSorted(compare).slice(0, limit)
}

function union<Table extends keyof Tables, Row>([first, ...others]: readonly Range<Table, Row>[]): Range<Table, Row> {
  if (first === undefined) throw new RangeError('A page needs at least one range.')
  return others.reduce((query, range) => query.unionAll(range), first)
}

function sorted<Table extends keyof Tables, Row>(
  query: Range<Table, Row>,
  { columns, direction }: ListOrder<string>,
): Range<Table, Row> {
  return columns.reduce((sofar, column) => sofar.orderBy(sql.ref(column), direction), query)
}
