/** A page of a list, newest first: the rows after the place `before`. */
export type PageQuery = { readonly limit: number; readonly before: PageCursor | null }

/**
 * The place of a row in a list: its number, which increases with every new row and never changes; in a list ordered by an instant, first
 * that instant in milliseconds since the epoch.
 */
export type PageCursor = { readonly number: number; readonly at?: number | null }

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
