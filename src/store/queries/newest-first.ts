import { type RawBuilder, sql, type SqlBool, type Expression, type Compilable, type CompiledQuery } from 'kysely'
import type { Db } from '../group-commit.ts'
import type { PageCursor, Placed } from '../store.ts'
import type { Tables } from '../tables.ts'

/** The columns that determine the place of a row: its number, and the instant that a filter may use, in milliseconds since the epoch. */
type ListRow = { readonly number: number; readonly at: number }

/**
 * A page of a list, newest first: by number; by instant and number if the filter names an instant, because no index can select by instant
 * and be ordered by number.
 */
export type NewestFirst = {
  readonly order: ListOrder<keyof ListRow>
  /** The conditions of every row of the page. */
  readonly conditions: Range
  /** The same conditions as expressions, for a range whose index does not contain the instant: no other index is used for them. */
  readonly checked: Range
  /** Returns the value of a row with its place in the list. */
  placed<Value>(place: ListRow, row: Value): Placed<Value>
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
    checked: byInstant ? withinInstants(sql`(+${byTime.by})`, from, endOf(until, before)) : behind(before),
    placed: ({ number, at }, row) => ({ number, at: byInstant ? at : null, row }),
  }
}

/** The number as an expression: with the plain column a planner may scan the table in the order of its key. */
export const ROW_NUMBER = sql<number>`(+number)`

/** Returns the condition of the rows after a place in a list by number. */
function behind(before: PageCursor | null): Range {
  return before === null ? [] : [sql`${ROW_NUMBER} < ${before.number}`]
}

function withinInstants(at: RawBuilder<unknown>, from: Date | undefined, end: ListRow | null): Range {
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${at} >= ${from.getTime()}`]),
    ...(end === null ? [] : [sql<SqlBool>`(${at}, number) < (${end.at}, ${end.number})`]),
  ]
}

/** Returns the lower of both bounds, because one bound suits an index better than two. Number 0 precedes all rows of an instant. */
function endOf(until: Date | undefined, before: PageCursor | null): ListRow | null {
  const ends = [
    ...(until === undefined ? [] : [{ at: until.getTime(), number: 0 }]),
    ...(before === null ? [] : [{ at: before.at ?? 0, number: before.number }]),
  ]
  return ends.toSorted((a, b) => a.at - b.at || a.number - b.number)[0] ?? null
}

/** The order of a list. */
type ListOrder<Column extends string> = {
  readonly table: keyof Tables
  /** The columns that rows are ordered by, each with the expression of the index; the last is the key of the table. */
  readonly columns: readonly { readonly name: Column; readonly by: RawBuilder<unknown> }[]
  readonly direction: 'asc' | 'desc'
  /** The expression by which an index has the rows of one range in this order, if it differs from the columns. */
  readonly inRange?: RawBuilder<unknown>
}

/** The conditions of a range: all rows that meet them are adjacent in an index, in the order of the list. */
export type Range = readonly Expression<SqlBool>[]

type AskedRanges<Column extends string, Row> = {
  readonly order: ListOrder<Column>
  readonly limit: number
  /** Reads the rows that meet a condition. `end` is appended to the statement. */
  readonly rowsWhere: (condition: Expression<SqlBool>, end: RawBuilder<unknown>) => Promise<readonly Row[]>
}

/** Ranges per statement. Each adds to the time to build and plan the statement. */
const RANGES_PER_STATEMENT = 20

/** Values per condition. */
const VALUES_AT_ONCE = 500

/**
 * Splits values into groups, one range each: one value per group, or up to 500 if there are more values than ranges per statement. The
 * rows of a larger group are not in the order of the list, and all of them are read, so each value must have few rows.
 */
export function grouped<Value>(values: readonly Value[]): (readonly Value[])[] {
  const size = values.length <= RANGES_PER_STATEMENT ? 1 : VALUES_AT_ONCE
  return Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size))
}

/** Returns the condition that a column has one of some values. */
export function oneOf(column: RawBuilder<unknown>, values: readonly string[]): Expression<SqlBool> {
  const [first] = values
  return values.length === 1 ? sql<SqlBool>`${column} = ${first}` : sql<SqlBool>`${column} in (${sql.join(values)})`
}

/**
 * Returns the first rows of the union of all ranges. At most one page of each range is read from the index, and only the rows of the
 * page from the table. One range is read without its keys: looking a row up by its key costs a search in each partition.
 */
export async function mergeRanges<Column extends string, Row extends Readonly<Record<Column, number>>>(
  ranges: readonly Range[],
  { order, limit, rowsWhere }: AskedRanges<Column, Row>,
): Promise<Row[]> {
  const [only, ...more] = ranges
  if (only !== undefined && more.length === 0)
    return firstOf(await rowsWhere(every(only), inOrder(order, limit)), order, limit)
  const key = sql.ref(order.columns.at(-1)?.name ?? '')
  let found: Row[] = []
  for (let start = 0; start < ranges.length; start += RANGES_PER_STATEMENT) {
    const some = ranges.slice(start, start + RANGES_PER_STATEMENT)
    const rows = await rowsWhere(sql`${key} in ${firstKeys(some, order, limit)}`, sql``)
    found = firstOf([...found, ...rows], order, limit)
  }
  return found
}

/** Returns the first rows among the results of several statements. */
function firstOf<Column extends string, Row extends Readonly<Record<Column, number>>>(
  rows: readonly Row[],
  { columns, direction }: ListOrder<Column>,
  limit: number,
): Row[] {
  const sign = direction === 'asc' ? 1 : -1
  const compare = (a: Row, b: Row): number => {
    const column = columns.find(({ name }) => a[name] !== b[name])
    return column === undefined ? 0 : sign * (a[column.name] - b[column.name])
  }
  return rows.toSorted(compare).slice(0, limit)
}

/** Returns a subquery: the keys of the first rows of the union of all ranges. */
function firstKeys(ranges: readonly Range[], order: ListOrder<string>, limit: number): RawBuilder<number> {
  const { table, columns, direction } = order
  const names = columns.map((_, index) => sql.ref(`place_${index}`))
  const terms = columns.map(({ by }) => by)
  const chosen = sql.join(terms.map((term, index) => sql`${term} as ${names[index]}`))
  const parts = ranges.map(
    (range) =>
      sql`select * from (select ${chosen} from ${sql.table(table)} where ${every(range)} ${inOrder(order, limit)}) as part`,
  )
  const key = names.at(-1)
  return sql<number>`(select ${key} from (${sql.join(parts, sql` union all `)} ${sortedBy(names, direction, limit)}) as page)`
}

/** Returns the end of a statement that reads the first rows of one range. */
function inOrder({ columns, direction, inRange }: ListOrder<string>, limit: number): RawBuilder<unknown> {
  return sortedBy(inRange === undefined ? columns.map(({ by }) => by) : [inRange], direction, limit)
}

function sortedBy(
  terms: readonly RawBuilder<unknown>[],
  direction: 'asc' | 'desc',
  limit: number,
): RawBuilder<unknown> {
  return sql`order by ${sql.join(terms.map((term) => sql`${term} ${sql.raw(direction)}`))} limit ${limit}`
}

function every(range: Range): RawBuilder<SqlBool> {
  return range.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(range, sql` and `)}`
}

/** Queries for longer lists are not cached. */
const MAX_VALUES = 128

/**
 * Creates a function that reads rows by a list of values. Its query is compiled once for each length of the list. `query` returns the
 * query for some values; they must be its only parameters.
 */
export function lookUp<Row>(
  db: Db,
  query: (values: readonly string[]) => Compilable<Row>,
): (values: readonly string[]) => Promise<readonly Row[]> {
  const compiled = new Map<number, CompiledQuery<Row>>()
  return async (values) => {
    if (values.length === 0) return []
    const known = compiled.get(values.length) ?? query(values).compile()
    if (values.length <= MAX_VALUES) compiled.set(values.length, known)
    const { rows } = await db.executeQuery<Row>({ ...known, parameters: values })
    return rows
  }
}

/**
 * Returns a text as an expression, for which only an index on this expression is used. Of two conditions, the index of the one that
 * matches fewer rows has to be used, whatever the planner estimates.
 */
export function unindexed(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${text} || '')`
}
