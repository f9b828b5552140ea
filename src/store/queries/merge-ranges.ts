import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Tables } from '../tables.ts'

/** The order of a list. */
export type ListOrder<Column extends string> = {
  readonly table: keyof Tables
  /** What rows are compared by, each as an index has it; the last is the key of the table. */
  readonly columns: readonly { readonly name: Column; readonly by: RawBuilder<unknown> }[]
  readonly direction: 'asc' | 'desc'
  /** What an index has the rows of one range in this order by, where it is not the columns. */
  readonly inRange?: RawBuilder<unknown>
}

/** The conditions of a range: all rows that meet them lie in an index next to each other, in the order of the list. */
export type Range = readonly Expression<SqlBool>[]

type Asked<Column extends string, Row> = {
  readonly order: ListOrder<Column>
  readonly limit: number
  /** Reads the rows with these keys, in any order. */
  readonly rowsOf: (keys: Expression<number>) => Promise<readonly Row[]>
}

/** Ranges of one statement. To write a statement, and to plan it, costs time for each of them. */
const RANGES_PER_STATEMENT = 20

/** Values of one condition. */
const VALUES_AT_ONCE = 500

/**
 * Values in groups, each for a range of its own: one by one, or many together where there are more than a statement has ranges. The
 * rows of such a group do not lie in the order of the list: all of them are read, so there must be few of each value.
 */
export function grouped<Value>(values: readonly Value[]): (readonly Value[])[] {
  const size = values.length <= RANGES_PER_STATEMENT ? 1 : VALUES_AT_ONCE
  return Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size))
}

/** A column that has one of some values. */
export function oneOf(column: RawBuilder<unknown>, values: readonly string[]): Expression<SqlBool> {
  const [first] = values
  return values.length === 1 ? sql<SqlBool>`${column} = ${first}` : sql<SqlBool>`${column} in (${sql.join(values)})`
}

/**
 * The first rows of all ranges together. Of each range the index is read for one page at most, and the table for the rows of
 * the page alone.
 */
export async function mergeRanges<Column extends string, Row extends Readonly<Record<Column, number>>>(
  ranges: readonly Range[],
  { order, limit, rowsOf }: Asked<Column, Row>,
): Promise<Row[]> {
  let found: Row[] = []
  for (let start = 0; start < ranges.length; start += RANGES_PER_STATEMENT) {
    const some = ranges.slice(start, start + RANGES_PER_STATEMENT)
    found = firstOf([...found, ...(await rowsOf(firstKeys(some, order, limit)))], order, limit)
  }
  return found
}

/** The first rows of those that several statements have read. */
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

/** A subquery: the keys of the first rows of all ranges together. */
function firstKeys(ranges: readonly Range[], order: ListOrder<string>, limit: number): RawBuilder<number> {
  const { table, columns, direction, inRange } = order
  const sortedBy = (terms: readonly RawBuilder<unknown>[]) =>
    sql`order by ${sql.join(terms.map((term) => sql`${term} ${sql.raw(direction)}`))} limit ${limit}`
  const names = columns.map((_, index) => sql.ref(`place_${index}`))
  const terms = columns.map(({ by }) => by)
  const chosen = sql.join(terms.map((term, index) => sql`${term} as ${names[index]}`))
  const parts = ranges.map(
    (range) =>
      sql`select * from (select ${chosen} from ${sql.table(table)} ${where(range)} ${sortedBy(inRange === undefined ? terms : [inRange])}) as part`,
  )
  const key = names.at(-1)
  return sql<number>`(select ${key} from (${sql.join(parts, sql` union all `)} ${sortedBy(names)}) as page)`
}

function where(range: Range): RawBuilder<unknown> {
  return range.length === 0 ? sql`` : sql`where ${sql.join(range, sql` and `)}`
}
