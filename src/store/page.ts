import type { ListFilter } from '../domain/list-filter.ts'

/** A page of a list, newest first: the rows after the place `before`. */
export type PageQuery = {
  readonly limit: number
  readonly before: PageCursor | null
  /**
   * Absent: by number; by an instant that the filter names, last change before creation, where it names nothing that few rows have: ids, a
   * reference, an owner, duplicates, or phases that do not last. Given with one of these, the list has the newest 5,000 rows with it.
   */
  readonly order?: ListOrder | null | undefined
}

/** An instant by which a list is ordered, the newest first. */
export type ListOrder = 'CREATED' | 'UPDATED'

/**
 * The place of a row in a list: its number, which increases with every new row and never changes; in a list ordered by an instant, first
 * that instant in milliseconds since the epoch, and which one it is.
 */
export type PageCursor = { readonly number: number; readonly at?: number | null; readonly order?: ListOrder | null }

/**
 * The first rows behind a place. A bounded number of rows is looked at, so a page may hold fewer rows than asked for, or none, and others may
 * follow all the same.
 */
export type Page<Row> = {
  readonly rows: readonly Row[]
  /** The place at which the list is to be read on; null if no further row meets the filter. */
  readonly next: PageCursor | null
}

/** A row with its place in its list. */
export type Placed<Row> = Required<PageCursor> & { readonly row: Row }

/** A list of rows. */
export type ListStore<Row> = {
  /** Throws `PlaceOfOtherOrderError` for a place of another order. */
  page(page: PageQuery, filter: ListFilter): Promise<Page<Placed<Row>>>
  /** Returns how many rows meet the filter; null if more than 5,000 would have to be looked at. */
  count(filter: ListFilter): Promise<number | null>
}
