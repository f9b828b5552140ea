import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../group-commit.ts'
import type { Page, PageCursor, PageQuery, Placed } from '../page.ts'
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
  readonly table: keyof Tables
  /** The columns that are read; all by default. */
  readonly columns?: RawBuilder<unknown>
  /** The column of a row's number, and that of the instant that is also part of its place. */
  readonly number: 'number' | 'position'
  readonly instant?: 'created_at' | 'updated_at' | undefined
  /** What an index has each range in the order of. */
  readonly order: readonly RawBuilder<unknown>[]
  readonly direction: 'asc' | 'desc'
  /** The conditions of the rows behind the place where the page begins. */
  readonly onwards: Conditions
  readonly ranges: readonly Range[]
  readonly limit: number
}

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
  const rows = sql`from ${sql.table(table)} where ${every([...within, ...onwards])}
    order by ${sql.join(order.map((by) => sql`${by} ${sql.raw(direction)}`))}`
  const most = sql`limit ${limit + 1}`
  if (checked.length === 0) return sql`select ${place(1)} ${rows} ${most}`
  return sql`select ${place(1)} from (select * ${rows} limit ${sql.lit(share)}) as looked where ${every(checked)}
    union all select ${place(0)} from (select * ${rows} limit 1 offset ${sql.lit(share - 1)}) as looked ${most}`
}

function every(conditions: Conditions): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** The number as an expression: with the plain column a planner may scan the table in the order of its key. */
export const ROW_NUMBER = sql<number>`(+number)`

/** The page of a filter that nothing meets. */
export const NO_PAGE: Page<never> = { rows: [], next: null }

export type Ranges = readonly Conditions[] | undefined

export type ListRequest<Row, Value> = {
  readonly table: keyof Tables
  readonly columns?: RawBuilder<unknown>
  readonly page: PageQuery
  /** The column of the instant that a filter may name, with the interval that it names; `until` is exclusive. */
  readonly instant?: 'created_at' | 'updated_at'
  readonly from?: Date | undefined
  readonly until?: Date | undefined
  /** Conditions of indexes that end in `ROW_NUMBER` and have few rows that meet them; none if the filter has no such condition. */
  readonly ranges?: Ranges
  /** What is checked on each row. */
  readonly checked: Conditions
  toValue(row: Row): Value
}

/**
 * Returns a page of a list, newest first: by instant and number if the filter names an instant and there are no `ranges`, otherwise by
 * number. Throws `PlaceOfOtherOrderError` for a place of the other order.
 */
export async function newestFirst<Row, Value>(
  db: Db,
  { instant = 'created_at', from, until, ranges, checked, page, toValue, ...read }: ListRequest<Row, Value>,
): Promise<Page<Placed<Value>>> {
  const { limit, before } = page
  const isByInstant = ranges === undefined && (from !== undefined || until !== undefined)
  if (before !== null && ((before.at ?? null) !== null) !== isByInstant) throw new PlaceOfOtherOrderError()
  const at = sql.ref(instant)
  const number = ranges === undefined ? sql.ref('number') : ROW_NUMBER
  const since = from === undefined ? [] : [sql<SqlBool>`${at} >= ${from.getTime()}`]
  const within = [...since, ...upTo(at, until, null)]
  const order = isByInstant
    ? {
        order: [at, number],
        onwards: upTo(at, until, before),
        ranges: [{ within: since, checked }],
      }
    : {
        order: [number],
        onwards: before === null ? [] : [sql<SqlBool>`${number} < ${before.number}`],
        ranges: (ranges ?? [[]]).map((range) => ({ within: range, checked: [...checked, ...within] })),
      }
  const { rows, next } = await readPage<Row>(db, {
    ...read,
    ...order,
    number: 'number',
    instant: isByInstant ? instant : undefined,
    direction: 'desc',
    limit,
  })
  return { rows: rows.map((row) => ({ number: row.list_number, at: row.list_instant, row: toValue(row) })), next }
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
export function oneOf(column: string, values: readonly string[]): Expression<SqlBool> {
  const [first] = values
  return values.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${first}`
    : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`
}
