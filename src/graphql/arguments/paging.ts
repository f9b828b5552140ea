import type { CursorCodec, CursorKind, CursorPlace, PlaceKind } from '../../keys/cursor.ts'
import type { EventFilter } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'

/** Maximum size of a page. */
export const MAX_PAGE = 100

/** Returns the size of a page; throws a BAD_USER_INPUT error that names the argument if it is not from 1 to `MAX_PAGE`. */
export function pageSize(size: number, argument: 'first' | 'last' = 'first'): number {
  if (Number.isInteger(size) && size >= 1 && size <= MAX_PAGE) return size
  throw badArgument(argument, `must lie between 1 and ${MAX_PAGE}`)
}

/** Returns the position of a cursor; null without it. Throws BAD_USER_INPUT for a forged one, or one of another log or list. */
export function pageStart(
  cursors: CursorCodec,
  kind: CursorKind,
  cursor: string | null | undefined,
  argument: 'after' | 'before' = 'after',
): number | null {
  if (cursor === null || cursor === undefined) return null
  const position = cursors.decode(kind, cursor)
  if (position === null) throw badArgument(argument, 'is not a cursor of this list')
  return position
}

/**
 * Returns the place of `after`, null without it, for a list that is ordered by an instant if its filter contains one (`byInstant`).
 * Throws a BAD_USER_INPUT error for a cursor that is forged, or of another log, list or order.
 */
export function placeStart(
  cursors: CursorCodec,
  kind: PlaceKind,
  { after, byInstant }: { after: string | null | undefined; byInstant: boolean },
): CursorPlace | null {
  if (after === null || after === undefined) return null
  const place = cursors.decodePlace(kind, after)
  if (place === null) throw badArgument('after', 'is not a cursor of this list')
  if ((place.at !== null) === byInstant) return place
  throw badArgument('after', 'is a cursor of this list in its other order: keep the filter while paging')
}

type PageOf<Row> = {
  readonly rows: readonly Row[]
  readonly size: number
  readonly after: string | null | undefined
}

/** Returns the connection for `size` + 1 or fewer rows; the extra row shows that another page follows and is not included. */
export function connection<Row, Node>(
  { rows, size, after }: PageOf<Row>,
  shape: { cursor: (row: Row) => string; node: (row: Row) => Node },
) {
  const edges = rows.slice(0, size).map((row) => ({ cursor: shape.cursor(row), node: shape.node(row) }))
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: after !== null && after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

type PageBefore<Row> = Pick<PageOf<Row>, 'rows' | 'size'> & { readonly before: string | null | undefined }

/** Returns the connection for the last `size` of `size` + 1 or fewer rows; the extra row shows that others precede them. */
function lastConnection<Row>({ rows, size, before }: PageBefore<Row>, cursor: (row: Row) => string) {
  const page = connection({ rows: rows.slice(-size), size, after: null }, { cursor, node: (row) => row })
  const hasNextPage = before !== null && before !== undefined
  return { ...page, pageInfo: { ...page.pageInfo, hasNextPage, hasPreviousPage: rows.length > size } }
}

/**
 * Returns a page of the events of a filter, oldest first. Throws a BAD_USER_INPUT error for an invalid `first` or `after`, also for a
 * cursor after which events have been pruned: the caller must not miss them without notice.
 */
export async function eventPage(
  filter: EventFilter,
  { first, after }: { readonly first: number; readonly after?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(first)
  const start = pageStart(cursors, 'log', after)
  const rows = await store.log.read(start ?? 0, size + 1, filter)
  if (start !== null && start < (await store.log.horizon()))
    throw badArgument('after', 'is older than the events that are kept: read the state again')
  return connection(
    { rows, size, after },
    { cursor: (event) => cursors.encode('log', event.position), node: (event) => event },
  )
}

/** Returns the last events of a filter, oldest first. Throws a BAD_USER_INPUT error for an invalid `last` or `before`. */
export async function newestEvents(
  filter: EventFilter,
  { last, before }: { readonly last: number; readonly before?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(last, 'last')
  const end = pageStart(cursors, 'log', before, 'before')
  const rows = await store.log.newest(size + 1, filter, end ?? undefined)
  return lastConnection({ rows, size, before }, (event) => cursors.encode('log', event.position))
}
