import type { CursorCodec, CursorKind } from '../keys/cursor.ts'
import { badArgument } from './errors.ts'

/** The longest page that is given. */
export const MAX_PAGE = 100

/** Checks `first`; throws a BAD_USER_INPUT error that names it. */
export function pageSize(first: number): number {
  if (Number.isInteger(first) && first >= 1 && first <= MAX_PAGE) return first
  throw badArgument('first', `must lie between 1 and ${MAX_PAGE}`)
}

/** Reads `after`; throws a BAD_USER_INPUT error for a cursor that is forged, foreign, or of another list. */
export function pageStart(cursors: CursorCodec, kind: CursorKind, after: string | null | undefined): number | null {
  if (after === null || after === undefined) return null
  const position = cursors.decode(kind, after)
  if (position === null) throw badArgument('after', 'is not a cursor of this list')
  return position
}

type PageOf<Row> = {
  readonly rows: readonly Row[]
  readonly numberOf: (row: Row) => number
  readonly size: number
  readonly after: string | null | undefined
}

/** A connection of rows that were read with one row more than the page holds, which tells whether another page follows. */
export function connection<Row, Node>(
  { rows, numberOf, size, after }: PageOf<Row>,
  shape: { encode: (number: number) => string; node: (row: Row) => Node },
) {
  const edges = rows.slice(0, size).map((row) => ({ cursor: shape.encode(numberOf(row)), node: shape.node(row) }))
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
