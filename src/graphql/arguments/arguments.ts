import { filterProblems, MAX_PAGE, normaliseFilter } from '../../domain/list-filter.ts'
import { payinAmountProblem, type Money } from '../../domain/money/money.ts'
import type { CursorCodec, PlaceKind } from '../../keys/cursor.ts'
import { tidied } from '../../lib/text.ts'
import type { EventFilter, ListOrder, ListStore, Page, PageCursor, PageQuery } from '../../store/port.ts'
import { PlaceOfOtherOrderError } from '../../store/store-errors.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'

/** Returns the size of a page; throws a BAD_USER_INPUT error that names the argument if it is not from 1 to `MAX_PAGE`. */
export function pageSize(size: number, argument: 'first' | 'last' = 'first'): number {
  if (Number.isInteger(size) && size >= 1 && size <= MAX_PAGE) return size
  throw badArgument(argument, `must lie between 1 and ${MAX_PAGE}`)
}

/** Returns the position of a cursor of the log; null without it. Throws BAD_USER_INPUT for a forged one, or one of another log or list. */
export function pageStart(
  cursors: CursorCodec,
  cursor: string | null | undefined,
  argument: 'after' | 'before' = 'after',
): number | null {
  if (cursor === null || cursor === undefined) return null
  const position = cursors.decode('log', cursor)
  if (position === null) throw badArgument(argument, 'is not a cursor of this list')
  return position
}

type PageArguments = { readonly first: number; readonly after?: string | null | undefined }

/**
 * Returns a page of a list, newest first, from what `read` finds before a place. Throws a BAD_USER_INPUT error for an invalid `first`, and
 * for a cursor that is forged, or of another log, list or order.
 */
export async function listOf<Row extends PageCursor>(
  kind: PlaceKind,
  { first, after }: PageArguments,
  { cursors }: Pick<Context, 'cursors'>,
  read: (page: PageQuery) => Promise<Page<Row>>,
) {
  const size = pageSize(first)
  const before = after == null ? null : cursors.decodePlace(kind, after)
  if (after != null && before === null) throw badArgument('after', 'is not a cursor of this list')
  const { rows, next } = await read({ limit: size, before }).catch((error: unknown) => {
    if (!(error instanceof PlaceOfOtherOrderError)) throw error
    throw badArgument('after', 'is a cursor of this list in another order: keep filter and orderBy while paging')
  })
  const cursor = ({ number, at = null, order = null }: PageCursor) => cursors.encodePlace(kind, { number, at, order })
  const node = (row: Row) => ('row' in row ? row.row : row) as NodeOf<Row>
  return connection({ rows, next: next && cursor(next), after }, { cursor, node })
}

/** What is listed: rows with their places, or rows that have a number of their own. */
type NodeOf<Row> = Row extends { readonly row: infer Node } ? Node : Row

type FilterArguments = PageArguments & {
  readonly filter?: Parameters<typeof normaliseFilter>[0]
  readonly orderBy?: ListOrder | null | undefined
}

/** The same for a list with filters, and how many rows it has in all. Throws a BAD_USER_INPUT error that names an invalid field of the filter. */
export async function filteredList<Row, Shown = Row>(
  kind: PlaceKind,
  { filter: given, orderBy, ...args }: FilterArguments,
  context: Pick<Context, 'cursors'>,
  { store, show }: { readonly store: ListStore<Row>; show(row: Row): Shown | Promise<Shown> },
) {
  const filter = normaliseFilter(given)
  const [problem] = filterProblems(filter)
  if (problem !== undefined) throw badArgument(['filter', ...problem.path].join('.'), problem.message)
  const page = await listOf(kind, args, context, async (query) => {
    const { rows, next } = await store.page({ ...query, order: orderBy }, filter)
    return { rows: rows.map(({ row, number, at, order }) => ({ number, at, order, row: show(row) })), next }
  })
  return { ...page, count: () => store.count(filter) }
}

type PageOf<Row> = {
  readonly rows: readonly Row[]
  /** Cursor behind the last row that was looked at; null if no other page follows. */
  readonly next: string | null
  readonly after: string | null | undefined
}

/** Returns the connection for a page. */
export function connection<Row, Node>(
  { rows, next, after }: PageOf<Row>,
  shape: { cursor: (row: Row) => string; node: (row: Row) => Node },
) {
  const edges = rows.map((row) => ({ cursor: shape.cursor(row), node: shape.node(row) }))
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: next !== null,
      hasPreviousPage: after !== null && after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: next ?? edges.at(-1)?.cursor ?? null,
    },
  }
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
  const start = pageStart(cursors, after)
  const { events: rows, next } = await store.log.read(start ?? 0, size, filter)
  if (start !== null && start < (await store.log.horizon()))
    throw badArgument('after', 'is older than the events that are kept: read the state again')
  const cursor = (position: number) => cursors.encode('log', position)
  return connection(
    { rows, next: next === null ? null : cursor(next), after },
    { cursor: (event) => cursor(event.position), node: (event) => event },
  )
}

/** Returns the last events of a filter, oldest first. Throws a BAD_USER_INPUT error for an invalid `last` or `before`. */
export async function newestEvents(
  filter: EventFilter,
  { last, before }: { readonly last: number; readonly before?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(last, 'last')
  const end = pageStart(cursors, before, 'before')
  const { events: rows, next } = await store.log.newest(size, filter, end ?? undefined)
  const cursor = (position: number) => cursors.encode('log', position)
  const page = connection(
    { rows, next: null, after: null },
    { cursor: (event) => cursor(event.position), node: (event) => event },
  )
  const startCursor = next === null ? page.pageInfo.startCursor : cursor(next)
  return {
    ...page,
    pageInfo: { ...page.pageInfo, hasNextPage: end !== null, hasPreviousPage: next !== null, startCursor },
  }
}

type WithoutNulls<Filter> = { [Key in keyof Filter]?: Exclude<Filter[Key], null | undefined> }

/**
 * Returns a filter as the store expects it: without its null fields, which a client may send for unused ones, and its texts in composed letters,
 * without invisible characters around them.
 */
export function withoutNulls<Filter extends object>(filter: Filter | null | undefined): WithoutNulls<Filter> {
  const conditions = Object.entries(filter ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? tidied(value) : value] as const)
  return Object.fromEntries(conditions) as WithoutNulls<Filter>
}

/** The payments API lists at most one year per call (gap sheet, sections 19 and 26). */
const LONGEST_SPAN_MS = 366 * 24 * 3_600_000
const DAY_MS = 24 * 3_600_000
/** More entries than all sites together have on one page of the payments API. */
const PLACES_OF_PAGE = 2 ** 20

/** The instants of a list by days, and a page of the payments API, from 1. */
type DaysPage = { readonly from: Date; readonly to: Date; readonly page: number }

type FoundPage<Node> = {
  readonly nodes: readonly Node[]
  readonly totalPages: number | null
  readonly totalCount: number | null
}

/**
 * Returns a page of a list by days that the payments API has in pages of its own: at most the rest of one of them, so that it costs one read
 * of each site. `to` is inclusive, up to the last second of that day. Throws `BAD_USER_INPUT`, which names the argument, for a span that
 * runs backwards or is longer than a year, for an invalid `first`, and for a cursor that is forged, or of another log or list.
 */
export async function listByDays<Node>(
  { from, to, first, after }: PageArguments & { readonly from: string; readonly to: string },
  { cursors }: Pick<Context, 'cursors'>,
  read: (page: DaysPage) => Promise<FoundPage<Node>>,
) {
  const [firstDay, lastDay] = [new Date(from), new Date(to)]
  if (lastDay < firstDay) throw badArgument('to', 'must not lie before from')
  if (lastDay.getTime() - firstDay.getTime() > LONGEST_SPAN_MS)
    throw badArgument('to', 'must lie within a year of from')
  const size = pageSize(first)
  const place = after == null ? PLACES_OF_PAGE : cursors.decode('by-days', after)
  if (place === null) throw badArgument('after', 'is not a cursor of this list')
  const [page, start] = [Math.floor(place / PLACES_OF_PAGE), place % PLACES_OF_PAGE]
  const lastSecond = new Date(lastDay.getTime() + DAY_MS - 1_000)
  const { nodes, totalPages, totalCount } = await read({ from: firstDay, to: lastSecond, page })
  const cursor = (count: number) => cursors.encode('by-days', page * PLACES_OF_PAGE + count)
  const rows = nodes.slice(start, start + size).map((node, index) => ({ node, cursor: cursor(start + index + 1) }))
  const isCut = start + size < nodes.length
  const goesOn = totalPages === null ? nodes.length > 0 : page < totalPages
  const next = isCut ? cursor(start + size) : goesOn ? cursor(PLACES_OF_PAGE) : null
  return {
    ...connection({ rows, next, after }, { cursor: (row) => row.cursor, node: (row) => row.node }),
    count: async () => totalCount,
  }
}

/** Returns the amount; throws a BAD_USER_INPUT error if it is invalid, because an invalid amount cannot be compared. */
export function validAmount(amount: Money): Money {
  const problem = payinAmountProblem(amount)
  if (problem !== null) throw badArgument('amount', problem)
  return amount
}

/** The types with a `nodeId`, each with the root field that reads one of them, or what it is a part of, and whose scopes it needs. */
export const NODE_FIELDS = {
  PaymentLink: 'paymentLink',
  Payment: 'payment',
  PaymentRefund: 'payment',
  PayinMethod: 'payinMethod',
  PayoutMethod: 'payoutMethod',
  PaymentCustomer: 'paymentCustomer',
  PaymentContact: 'paymentContact',
  PaymentAgreement: 'paymentAgreement',
  PaymentPayout: 'payout',
  PayoutTransaction: 'payout',
  GatewayPayment: 'gatewayPayment',
  PaymentWebhookDelivery: 'webhookDelivery',
  PaymentImport: 'paymentImport',
} as const

export type NodeType = keyof typeof NODE_FIELDS

/** Longer than that of any id that is stored. */
const LONGEST = 2_000

/** Returns the id of an object that is unique among all types: its type and its id, in base64url. */
export function nodeIdOf(type: NodeType, id: string): string {
  return Buffer.from(`${type}:${id}`, 'utf8').toString('base64url')
}

/** Reads a `nodeId`. Throws `BAD_USER_INPUT` for a text that `nodeIdOf` does not return. */
export function parseNodeId(nodeId: string): { readonly type: NodeType; readonly id: string } {
  const text = nodeId.length > LONGEST ? '' : Buffer.from(nodeId, 'base64url').toString('utf8')
  const [type = '', ...rest] = text.split(':')
  const id = rest.join(':')
  // One object has one nodeId: other spellings of the same bytes are not accepted.
  if (!isNodeType(type) || id === '' || nodeIdOf(type, id) !== nodeId)
    throw badArgument('nodeId', 'is not a nodeId of this API')
  return { type, id }
}

function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(NODE_FIELDS, type)
}
