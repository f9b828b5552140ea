import { type Expression, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import { eventId, parseEventId, type PaymentEvent, type PaymentEventKind } from '../../domain/payments/payment-event.ts'
import { isPayoutKind, isPayoutStream, payoutStreamId } from '../../domain/payouts/payout.ts'
import { PAYMENT_ID_SQL, storedKinds } from '../encoding/event-columns.ts'
import { EVENTS, type EventsTable, toEvent } from '../rows/log-rows.ts'
import { PAYOUT_EVENTS, type PayoutEventsTable, toPayoutEvent } from '../rows/payout-rows.ts'
import type { EventFilter, EventLog } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Db } from '../unit.ts'
import { grouped, mergeRanges, oneOf, type Range } from './merge-ranges.ts'
import { findStreams, type StreamOfEvents } from './stream-queries.ts'
import { unindexed } from './unindexed.ts'

/** Creates the event log, read in the order of commits. `lists` reads outside the event loop where the database can. */
export function createEventLog(reader: Db, lists: Db, listening: Pick<EventLog, 'onAppend' | 'onBranch'>): EventLog {
  return {
    head: async () => (await bounds(reader)).position,
    horizon: async () => (await bounds(reader)).horizon,
    read: (after, limit, filter = {}) =>
      read(isNarrow(filter) ? reader : lists, { from: after, limit, direction: 'asc' }, filter),
    newest: async (limit, filter = {}, before = Number.MAX_SAFE_INTEGER) => {
      const page = { limit, direction: 'desc', from: before } as const
      return (await read(isNarrow(filter) ? reader : lists, page, filter)).toReversed()
    },
    byIds: (ids) => byIds(reader, ids),
    ...listening,
  }
}

const MAX_LIMIT = 1000

/** Pairs of stream and sequence per statement. */
const IDS_PER_STATEMENT = 200

/** Returns whether a filter is empty or names only streams, of which a payout has one: then the events are adjacent in an index. */
function isNarrow(filter: EventFilter): boolean {
  return Object.keys(filter).every((name) => name === 'streamIds' || name === 'payoutIds')
}

async function bounds(db: Db): Promise<{ readonly position: number; readonly horizon: number }> {
  return db.selectFrom('log_head').select(['position', 'horizon']).executeTakeFirstOrThrow()
}

/** The events of a page lie after the position `from`, or before it if they are read backwards. */
type Page = { readonly from: number; readonly limit: number; readonly direction: 'asc' | 'desc' }

async function read(db: Db, page: Page, filter: EventFilter): Promise<PaymentEvent[]> {
  if (!Number.isInteger(page.limit) || page.limit < 1 || page.limit > MAX_LIMIT)
    throw new RangeError(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  if (Object.values(filter).some((list) => list.length === 0)) return []
  const { others, payouts } = byTable(filter)
  if (payouts === null) return others === null ? [] : readOthers(db, page, others)
  if (others === null) return readPayoutEvents(db, page, payouts)
  if (Object.keys(filter).length === 0) return readWhole(db, page)
  // Up to the head that was read before, both reads see all events.
  const { position: head } = await bounds(db)
  const bounded = page.direction === 'asc' ? page : { ...page, from: Math.min(page.from, head + 1) }
  const events = [...(await readOthers(db, bounded, others)), ...(await readPayoutEvents(db, bounded, payouts))]
  const seen = inOrder(events.filter(({ position }) => position <= head))
  return (page.direction === 'asc' ? seen : seen.toReversed()).slice(0, page.limit)
}

/** Reads both tables with one statement, and so from one snapshot: between two, a position could be committed that neither has. */
async function readWhole(db: Db, page: Page): Promise<PaymentEvent[]> {
  const part = (table: 'events' | 'payout_events') => {
    const columns = EVENT_COLUMNS.map((name) =>
      table === 'events' || PAYOUT_EVENT_COLUMNS.has(name) ? sql.ref(name) : sql`null as ${sql.ref(name)}`,
    )
    const payout = table === 'events' ? sql`null as payout_json` : sql.ref('payout_json')
    return sql`select * from (select ${sql.join([...columns, payout])} from ${sql.table(table)}
      where ${isBeyond(sql.ref('position'), page)} ${end}) as part`
  }
  const end = sql`order by position ${sql.raw(page.direction)} limit ${page.limit}`
  const { rows } = await sql<StoredRow>`${part('events')} union all ${part('payout_events')} ${end}`.execute(db)
  return rows.map((row) => (row.payout_json === null ? toEvent(row) : toPayoutEvent(asPayoutEvent(row))))
}

/** Returns the condition that an event lies beyond the place where a page begins. */
function isBeyond(position: RawBuilder<unknown>, { from, direction }: Page): RawBuilder<SqlBool> {
  return direction === 'asc' ? sql<SqlBool>`${position} > ${from}` : sql<SqlBool>`${position} < ${from}`
}

async function readOthers(db: Db, page: Page, filter: EventFilter): Promise<PaymentEvent[]> {
  const kinds = filter.kinds && storedKinds([...new Set(filter.kinds)])
  const streams = await findStreams(db, filter)
  if (streams?.length === 0) return []
  // With the expression the table cannot be scanned in the order of its key: that would be slow if few rows match.
  const position = streams === null && kinds === undefined ? sql.ref('position') : sql`(+position)`
  // The index of one stream is ordered by sequence, which is also the order of positions.
  const isInSequence = streams !== null && grouped(streams).every(({ length }) => length === 1)
  const order = {
    table: 'events',
    columns: [{ name: 'position', by: position }],
    direction: page.direction,
    ...(isInSequence ? { inRange: sql.ref('sequence') } : {}),
  } as const
  const ranges = rangesOf(streams, kinds).map((range) => range.concat(isBeyond(position, page)))
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    db.selectFrom('events').selectAll().where(condition).modifyEnd(end).execute()
  const rows = await mergeRanges(ranges, { order, limit: page.limit, rowsWhere })
  return rows.map(toEvent)
}

async function readPayoutEvents(db: Db, page: Page, { streamIds, kinds }: PayoutEventFilter): Promise<PaymentEvent[]> {
  if (streamIds?.length === 0) return []
  const stored = kinds && storedKinds([...new Set(kinds)])
  const position = streamIds === undefined && stored === undefined ? sql.ref('position') : sql`(+position)`
  const isInSequence = streamIds !== undefined && grouped(streamIds).every(({ length }) => length === 1)
  const order = {
    table: 'payout_events',
    columns: [{ name: 'position', by: position }],
    direction: page.direction,
    ...(isInSequence ? { inRange: sql.ref('sequence') } : {}),
  } as const
  const ofKinds = stored === undefined ? [] : [sql<SqlBool>`${unindexed(sql`kind`)} in (${sql.join(stored)})`]
  const parts: Range[] =
    streamIds === undefined
      ? (stored?.map((kind) => [sql<SqlBool>`kind = ${kind}`]) ?? [[]])
      : grouped(streamIds).map((ids) => [oneOf(sql.ref('stream_id'), ids)].concat(ofKinds))
  const rows = await mergeRanges(
    parts.map((range) => range.concat(isBeyond(position, page))),
    {
      order,
      limit: page.limit,
      rowsWhere: (condition, end) =>
        db.selectFrom('payout_events').selectAll().where(condition).modifyEnd(end).execute(),
    },
  )
  return rows.map(toPayoutEvent)
}

type PayoutEventFilter = Pick<EventFilter, 'streamIds' | 'kinds'>

/** Returns the filter for the events of payouts and that for all others; null for a table that has none that match. */
function byTable(filter: EventFilter): { others: EventFilter | null; payouts: PayoutEventFilter | null } {
  const { streamIds, payoutIds, kinds, ...subjects } = filter
  const isOfOthers = Object.keys(subjects).length > 0
  const ofPayouts = {
    streamIds: both(streamIds?.filter(isPayoutStream), payoutIds?.map(payoutStreamId)),
    kinds: kinds?.filter(isPayoutKind),
  }
  const ofOthers = {
    streamIds: streamIds?.filter((id) => !isPayoutStream(id)),
    kinds: kinds?.filter((kind) => !isPayoutKind(kind)),
  }
  return {
    payouts: isOfOthers || isNone(ofPayouts) ? null : given(ofPayouts),
    others: payoutIds !== undefined || isNone(ofOthers) ? null : { ...subjects, ...given(ofOthers) },
  }
}

/** Returns the values that are in both lists; an absent list has all. */
function both(some?: readonly string[], others?: readonly string[]): readonly string[] | undefined {
  if (some === undefined || others === undefined) return some ?? others
  return some.filter((value) => others.includes(value))
}

type Lists = {
  readonly streamIds: readonly string[] | undefined
  readonly kinds: readonly PaymentEventKind[] | undefined
}

function isNone({ streamIds, kinds }: Lists): boolean {
  return streamIds?.length === 0 || kinds?.length === 0
}

function given({ streamIds, kinds }: Lists): PayoutEventFilter {
  return { ...(streamIds === undefined ? {} : { streamIds }), ...(kinds === undefined ? {} : { kinds }) }
}

function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
  return events.toSorted((a, b) => a.position - b.position)
}

function rangesOf(streams: readonly StreamOfEvents[] | null, kinds?: readonly string[]): Range[] {
  if (streams === null) return kinds?.map((kind) => [sql`kind = ${kind}`]) ?? [[]]
  const ofKinds = kinds === undefined ? [] : [sql<SqlBool>`${unindexed(sql`kind`)} in (${sql.join(kinds)})`]
  return grouped(streams).map((group) => {
    const ids = group.map(({ streamId }) => streamId)
    const subjects = valuesOf(group).map(({ column, values }) =>
      oneOf(column === 'payment_id' ? sql.raw(PAYMENT_ID_SQL) : sql.ref(column), values),
    )
    return [oneOf(sql.ref('stream_id'), ids)].concat(subjects, ofKinds)
  })
}

/** Returns the union of the allowed values per column. All streams of one filter have the same columns. */
function valuesOf(group: readonly StreamOfEvents[]): StreamOfEvents['only'] {
  return (group[0]?.only ?? []).map(({ column }, index) => ({
    column,
    values: group.flatMap(({ only }) => only[index]?.values ?? []),
  }))
}

async function byIds(db: Db, ids: readonly string[]): Promise<PaymentEvent[]> {
  const places = [...new Set(ids)].map(parseEventId).filter((place) => place !== null)
  const events: PaymentEvent[] = []
  for (let start = 0; start < places.length; start += IDS_PER_STATEMENT)
    events.push(...(await atPlaces(db, places.slice(start, start + IDS_PER_STATEMENT))))
  return inOrder(events)
}

async function atPlaces(db: Db, places: readonly Place[]): Promise<PaymentEvent[]> {
  const asked = new Set(places.map(({ streamId, sequence }) => eventId(streamId, sequence)))
  const [ofPayouts, ofOthers] = [places.filter(isOfPayout), places.filter((place) => !isOfPayout(place))]
  const events = [
    ...(ofOthers.length === 0 ? [] : (await rowsAt(db, 'events', ofOthers)).map(toEvent)),
    ...(ofPayouts.length === 0 ? [] : (await rowsAt(db, 'payout_events', ofPayouts)).map(toPayoutEvent)),
  ]
  return events.filter(({ id }) => asked.has(id))
}

type Place = { readonly streamId: string; readonly sequence: number }

function isOfPayout({ streamId }: Place): boolean {
  return isPayoutStream(streamId)
}

function rowsAt<Name extends 'events' | 'payout_events'>(db: Db, table: Name, places: readonly Place[]) {
  return db
    .selectFrom<'events' | 'payout_events'>(table)
    .selectAll()
    .where('stream_id', 'in', [...new Set(places.map(({ streamId }) => streamId))])
    .where('sequence', 'in', [...new Set(places.map(({ sequence }) => sequence))])
    .execute() as unknown as Promise<Selectable<Tables[Name]>[]>
}

/** The columns of both tables together. */
type StoredRow = Selectable<EventsTable> & { readonly payout_json: string | null }

const EVENT_COLUMNS = Object.keys(EVENTS.columns)
const PAYOUT_EVENT_COLUMNS = new Set(Object.keys(PAYOUT_EVENTS.columns))

function asPayoutEvent({
  payout_json: payoutJson,
  to_status: toStatus,
  ...row
}: StoredRow): Selectable<PayoutEventsTable> {
  return { ...row, to_status: toStatus ?? '', payout_json: payoutJson ?? '' }
}
