import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { AmountRange, ListFilter } from '../../domain/list-filter.ts'
import type { Db } from '../group-commit.ts'
import type { ListStore, PageQuery } from '../port.ts'
import type { Tables } from '../tables.ts'
import { inLowerCase } from './payment-search.ts'
import { countRows, type Interval, type Listing, newestFirst, NO_PAGE, oneOf, type Ranges } from './read-page.ts'

/** Conditions that compare a column with one value, or with some. */
type Compared =
  | 'ids'
  | 'reference'
  | 'clientTransactionId'
  | 'ownerId'
  | 'methodCode'
  | 'currency'
  | 'site'
  | 'statuses'
  | 'phases'
  | 'cardLast4'

/** A list of a table. */
export type List<Row, Value> = {
  readonly table: keyof Tables
  /** The columns that are read; all by default. */
  readonly columns?: RawBuilder<unknown>
  /** The columns of conditions; it has no other one, apart from those of the functions below. */
  readonly compared: Readonly<Partial<Record<Compared | 'amount', string>>>
  /** Returns the ranges of a condition other than ids and an owner that few rows meet; undefined without one. */
  few?(filter: ListFilter): Ranges
  /** Returns what else is checked on each row. */
  checked?(filter: ListFilter): readonly Expression<SqlBool>[]
  toValue(row: Row): Value
}

/** Creates the queries of a list. */
export function listStore<Row, Value>(db: Db, list: List<Row, Value>): ListStore<Value> {
  const { table, columns, toValue } = list
  return {
    page: async (page, filter) =>
      isEmpty(filter) ? NO_PAGE : newestFirst(db, { ...listingOf(list, filter, page), columns, page, toValue }),
    count: async (filter) => (isEmpty(filter) ? 0 : countRows(db, { ...listingOf(list, filter), table })),
  }
}

function isEmpty({ ids, statuses, phases }: ListFilter): boolean {
  return [ids, statuses, phases].some((values) => values?.length === 0)
}

function listingOf<Row, Value>(
  { table, compared, few, checked }: List<Row, Value>,
  filter: ListFilter,
  { order }: Partial<PageQuery> = {},
): Listing {
  const { ids, ownerId, createdFrom, createdBefore, updatedFrom, updatedBefore } = filter
  const intervals: Interval[] = [
    { column: 'updated_at', from: updatedFrom, until: updatedBefore },
    { column: 'created_at', from: createdFrom, until: createdBefore },
  ]
  const isByInstant = order != null || intervals.some(({ from, until }) => from !== undefined || until !== undefined)
  const { phases: _passing, ...lasting } = filter
  const ranges =
    (ids === undefined ? undefined : [[oneOf('id', ids)]]) ??
    few?.(lasting) ??
    (ownerId === undefined ? undefined : [[oneOf('owner_id', [ownerId])]]) ??
    (isByInstant ? undefined : few?.(filter))
  return { table, intervals, ranges, checked: [...comparisons(compared, filter), ...(checked?.(filter) ?? [])] }
}

function comparisons(compared: List<unknown, unknown>['compared'], filter: ListFilter): Expression<SqlBool>[] {
  return Object.entries(compared).flatMap(([condition, column]) => {
    const value = filter[condition as keyof typeof compared]
    if (value === undefined) return []
    if (typeof value === 'object' && 'currency' in value) return between(compared.currency ?? '', column, value)
    const by = condition === 'statuses' ? sql`coalesce(${sql.ref(column)}, 'unrecognised')` : sql.ref(column)
    return [oneOf(by, typeof value === 'object' ? value : [value])]
  })
}

function between(currencyColumn: string, column: string, { currency, min, max }: AmountRange): Expression<SqlBool>[] {
  const amount = sql`cast(${sql.ref(column)} as numeric)`
  return [
    oneOf(currencyColumn, [currency]),
    ...(min == null ? [] : [sql<SqlBool>`${amount} >= cast(${min} as numeric)`]),
    ...(max == null ? [] : [sql<SqlBool>`${amount} <= cast(${max} as numeric)`]),
  ]
}

/** Returns the conditions of the index of a column with references, which is that of the search: it has them in lower case. */
export function withReference(column: string, reference: string): Expression<SqlBool>[] {
  return [sql`${sql.ref(column)} is not null`, sql`lower(${sql.ref(column)}) = ${inLowerCase(reference)}`]
}
