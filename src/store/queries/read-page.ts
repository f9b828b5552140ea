import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../group-commit.ts'
import type { ListOrder, Page, PageCursor, PageQuery, Placed } from '../page.ts'
import { PlaceOfOtherOrderError } from '../store-errors.ts'
import type { Tables } from '../tables.ts'

/** Rows that a page looks at, at most: whatever the filter, and however many rows there are, this bounds its time. */
export const LOOKED_AT = 5_000

/** Ranges per statement. Each adds to the time to build and plan the statement. */
const RANGES_PER_STATEMENT = 20

/** Values per condition. */
const VALUES_AT_ONCE = 500

type Conditions = readonly Expression<SqlBool>[]

/** Rows of a list that are adjacent in an index, in the order of the list. */
export type Range = {
  /** The conditions of the index. */
  readonly within: Conditions
  /** What is checked on each row; nothing by default. */
  readonly checked?: Conditions
}

export type PageRequest = {
  readonly table: keyof Tables | RawBuilder<unknown>
  /** The columns that are read; all by default. */
  readonly columns?: RawBuilder<unknown> | undefined
  /** The column of a row's number, and that of the instant that is also part of its place. */
  readonly number: 'number' | 'position'
  readonly instant?: Instant | undefined
  /** What an index has each range in the order of. */
  readonly order: readonly RawBuilder<unknown>[]
  readonly direction: 'asc' | 'desc'
  /** The conditions of the rows behind the place where the page begins. */
  readonly onwards: Conditions
  readonly ranges: readonly Range[]
  readonly limit: number
}

/** A column by which a list can be ordered. */
export type Instant = 'created_at' | 'updated_at'

/** Where a row is in its list: its number, and in a list by an instant that. */
type ListRow = { readonly list_number: number; readonly list_instant: number | null }

/**
 * Returns a page of the union of some ranges that have no row in common. It looks at equally many rows of each, in one statement for twenty
 * ranges, and so from one snapshot: between two, a row could move to where none is looked for. `next` is the place of the last row of a full
 * page; of another one that of the last row that was looked at, or null if there is nothing behind it.
 */
export async function readPage<Row>(db: Db, request: PageRequest): Promise<Page<Row & ListRow>> {
  const { ranges, limit, direction } = request
  const rows: (Row & ListRow & { readonly list_found: number })[] = []
  for (let start = 0; start < ranges.length; start += RANGES_PER_STATEMENT) {
    const parts = ranges.slice(start, start + RANGES_PER_STATEMENT).map((range) => partOf(request, range))
    const all = parts.map((part) => (parts.length === 1 ? part : sql`select * from (${part}) as part`))
    rows.push(...(await sql<(typeof rows)[number]>`${sql.join(all, sql` union all `)}`.execute(db)).rows)
  }
  const sign = direction === 'asc' ? 1 : -1
  const compare = (a: ListRow, b: ListRow): number =>
    sign * ((a.list_instant ?? 0) - (b.list_instant ?? 0) || a.list_number - b.list_number)
  // Behind the end of one range, rows of it may be missing.
  const [end] = rows.filter((row) => row.list_found === 0).toSorted(compare)
  const found = rows.filter((row) => row.list_found === 1 && (end === undefined || compare(row, end) <= 0))
  const sorted = found.toSorted(compare).slice(0, limit)
  // No order is promised of a union: beside the last row that is looked at, one of those that are found may have been left out.
  const isFull = found.length > limit || (found.length === limit && end !== undefined)
  const last = isFull ? sorted.at(-1) : end
  return { rows: sorted, next: last === undefined ? null : { number: last.list_number, at: last.list_instant } }
}

/**
 * Returns a query of the first rows of a range, one more than the page has; and of the last row that is looked at, if there are fewer. Both
 * databases stop in the middle of either query when they have enough rows.
 */
function partOf(request: PageRequest, { within, checked = [] }: Range): RawBuilder<unknown> {
  const { table, columns = sql`*`, number, instant, order, direction, onwards, ranges, limit } = request
  const share = Math.ceil(LOOKED_AT / ranges.length)
  const at = instant === undefined ? sql`cast(null as integer)` : sql.ref(instant)
  const place = (isFound: 0 | 1) =>
    sql`${columns}, ${sql.ref(number)} as list_number, ${at} as list_instant, ${sql.lit(isFound)} as list_found`
  const rows = inOrder({ table, order, direction, onwards }, within)
  const most = sql`limit ${limit + 1}`
  if (checked.length === 0) return sql`select ${place(1)} ${rows} ${most}`
  return sql`select ${place(1)} from (select * ${rows} limit ${sql.lit(share)}) as looked where ${every(checked)}
    union all select ${place(0)} from (select * ${rows} limit 1 offset ${sql.lit(share - 1)}) as looked ${most}`
}

function inOrder(
  { table, order, direction, onwards }: Pick<PageRequest, 'table' | 'order' | 'direction' | 'onwards'>,
  within: Conditions,
): RawBuilder<unknown> {
  return sql`from ${typeof table === 'string' ? sql.table(table) : table} where ${every([...within, ...onwards])}
    order by ${sql.join(order.map((by) => sql`${by} ${sql.raw(direction)}`))}`
}

function every(conditions: Conditions): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** The number as an expression: with the plain column a planner may scan the table in the order of its key. */
export const ROW_NUMBER = sql<number>`(+number)`

/** The page of a filter that nothing meets. */
export const NO_PAGE: Page<never> = { rows: [], next: null }

export type Ranges = readonly Conditions[] | undefined

/** An interval of instants; `until` is exclusive. */
export type Interval = {
  readonly column: Instant
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

export type Listing = {
  readonly table: keyof Tables
  readonly intervals?: readonly Interval[]
  /** Conditions of indexes that end in `ROW_NUMBER` and have few rows that meet them; none if the filter has no such condition. */
  readonly ranges?: Ranges
  /** What is checked on each row. */
  readonly checked: Conditions
}

export type ListRequest<Row, Value> = Listing & {
  readonly columns?: RawBuilder<unknown> | undefined
  readonly page: PageQuery
  toValue(row: Row): Value
}

/**
 * Returns a page of a list, newest first: by the instant of the page's order, or that of the first interval if there are no `ranges`, and
 * by number; otherwise by number alone. Throws `PlaceOfOtherOrderError` for a place of another order.
 */
export async function newestFirst<Row, Value>(
  db: Db,
  { columns, page, toValue, ...listing }: ListRequest<Row, Value>,
): Promise<Page<Placed<Value>>> {
  const { limit, before } = page
  const reading = readingOf(listing, page)
  const { instant } = reading
  if (before !== null && (before.order ?? null) !== orderOf(instant)) throw new PlaceOfOtherOrderError()
  const { rows, next } = await readPage<Row>(db, { ...reading, columns, number: 'number', limit })
  const order = orderOf(instant)
  return {
    rows: rows.map((row) => ({ number: row.list_number, at: row.list_instant, order, row: toValue(row) })),
    next: next && { ...next, order },
  }
}

/** Returns how many rows a list has; null if more than `LOOKED_AT` would have to be looked at in one of its ranges. */
export async function countRows(db: Db, listing: Listing): Promise<number | null> {
  const { ranges, ...reading } = readingOf(listing, { before: null })
  const counts = ranges.map(({ within, checked = [] }) => {
    const rows = sql`select * ${inOrder(reading, within)} limit ${sql.lit(LOOKED_AT + 1)}`
    return sql`select count(*) as looked, count(case when ${every(checked)} then 1 end) as found from (${rows}) as looked`
  })
  const { rows } = await sql<{ looked: number; found: number }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return rows.some(({ looked }) => looked > LOOKED_AT) ? null : rows.reduce((sum, { found }) => sum + found, 0)
}

type Reading = Pick<PageRequest, 'table' | 'instant' | 'order' | 'direction' | 'onwards' | 'ranges'>

function readingOf(
  { table, intervals = [], ranges, checked }: Listing,
  { before, order }: Pick<PageQuery, 'before' | 'order'>,
): Reading {
  const named = intervals.filter(({ from, until }) => from !== undefined || until !== undefined)
  const instant = order == null ? (ranges === undefined ? named[0]?.column : undefined) : INSTANTS[order]
  const direction = 'desc'
  if (instant === undefined) {
    const number = ranges === undefined ? sql.ref('number') : ROW_NUMBER
    const all = [...checked, ...named.flatMap(conditionsOf)]
    return {
      table,
      order: [number],
      direction,
      onwards: before === null ? [] : [sql<SqlBool>`${number} < ${before.number}`],
      ranges: (ranges ?? [[]]).map((range) => ({ within: range, checked: all })),
    }
  }
  const at = sql.ref(instant)
  const own = named.find(({ column }) => column === instant)
  const since = own?.from === undefined ? [] : [sql<SqlBool>`${at} >= ${own.from.getTime()}`]
  const others = named.filter((interval) => interval !== own).flatMap(conditionsOf)
  return {
    table: ranges === undefined ? table : newestOf(table, ranges),
    instant,
    order: [at, sql.ref('number')],
    direction,
    onwards: upTo(at, own?.until, before),
    ranges: [{ within: since, checked: [...checked, ...others] }],
  }
}

const INSTANTS = { CREATED: 'created_at', UPDATED: 'updated_at' } as const

function orderOf(instant: Instant | undefined): ListOrder | null {
  return instant === undefined ? null : instant === 'created_at' ? 'CREATED' : 'UPDATED'
}

function conditionsOf({ column, from, until }: Interval): Conditions {
  const at = sql.ref(column)
  return [...(from === undefined ? [] : [sql<SqlBool>`${at} >= ${from.getTime()}`]), ...upTo(at, until, null)]
}

/** Returns the newest rows of ranges as a table, so that it can be sorted: an index has them by number alone. */
function newestOf(table: keyof Tables, ranges: readonly Conditions[]): RawBuilder<unknown> {
  const reading = { table, order: [ROW_NUMBER], direction: 'desc', onwards: [] } as const
  const parts = ranges.map(
    (range) => sql`select * from (select * ${inOrder(reading, range)} limit ${sql.lit(LOOKED_AT)}) as part`,
  )
  return sql`(${sql.join(parts, sql` union all `)}) as newest`
}

/** Returns the lower of both bounds, because one bound suits an index better than two. Number 0 precedes all rows of an instant. */
function upTo(at: RawBuilder<unknown>, until: Date | undefined, before: PageCursor | null): Conditions {
  const ends = [
    ...(until === undefined ? [] : [{ at: until.getTime(), number: 0 }]),
    ...(before === null ? [] : [{ at: before.at ?? 0, number: before.number }]),
  ]
  const [end] = ends.toSorted((a, b) => a.at - b.at || a.number - b.number)
  return end === undefined ? [] : [sql`(${at}, number) < (${end.at}, ${end.number})`]
}

/** Returns the page of rows that have a number of their own. */
export function unplaced<Row>({ rows, next }: Page<Placed<Row>>): Page<Row> {
  return { rows: rows.map(({ row }) => row), next }
}

/**
 * Splits values into groups, one range each: one value per group, or up to 500 if there are more values than ranges per statement. The
 * rows of a larger group are not in the order of the list, and all of them are read, so each value must have few rows.
 */
export function grouped<Value>(values: readonly Value[]): (readonly Value[])[] {
  const size = values.length <= RANGES_PER_STATEMENT ? 1 : VALUES_AT_ONCE
  return Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size))
}

/** Returns the condition that a column has one of some values. */
export function oneOf(column: string | RawBuilder<unknown>, values: readonly string[]): Expression<SqlBool> {
  const [first] = values
  const by = typeof column === 'string' ? sql.ref(column) : column
  return values.length === 1 ? sql<SqlBool>`${by} = ${first}` : sql<SqlBool>`${by} in (${sql.join(values)})`
}
