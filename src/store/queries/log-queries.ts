import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { parseEventId, type PaymentEvent } from '../../domain/payments/payment-event.ts'
import { PAYMENT_ID_SQL, storedKinds } from '../encoding/event-columns.ts'
import { toEvent } from '../rows/log-rows.ts'
import type { EventFilter, EventLog } from '../store.ts'
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
      read(isNarrow(filter) ? reader : lists, { limit, direction: 'asc', from: after }, filter),
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

/** Returns whether a filter is empty or names only streams: then the events are adjacent in an index. */
function isNarrow(filter: EventFilter): boolean {
  return Object.keys(filter).every((name) => name === 'streamIds')
}

async function bounds(db: Db): Promise<{ readonly position: number; readonly horizon: number }> {
  return db.selectFrom('log_head').select(['position', 'horizon']).executeTakeFirstOrThrow()
}

/** The events of a page lie after the position `from`, or before it if they are read backwards. */
type PageOfEvents = { readonly from: number; readonly limit: number; readonly direction: 'asc' | 'desc' }

async function read(db: Db, { from, limit, direction }: PageOfEvents, filter: EventFilter): Promise<PaymentEvent[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new RangeError(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  if (Object.values(filter).some((list) => list.length === 0)) return []
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
    direction,
    ...(isInSequence ? { inRange: sql.ref('sequence') } : {}),
  } as const
  const isBeyond = direction === 'asc' ? sql<SqlBool>`${position} > ${from}` : sql<SqlBool>`${position} < ${from}`
  const ranges = rangesOf(streams, kinds).map((range) => range.concat(isBeyond))
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    db.selectFrom('events').selectAll().where(condition).modifyEnd(end).execute()
  const rows = await mergeRanges(ranges, { order, limit, rowsWhere })
  return rows.map(toEvent)
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
  return events.sort((a, b) => a.position - b.position)
}

async function atPlaces(db: Db, places: readonly { streamId: string; sequence: number }[]): Promise<PaymentEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('stream_id', 'in', [...new Set(places.map(({ streamId }) => streamId))])
    .where('sequence', 'in', [...new Set(places.map(({ sequence }) => sequence))])
    .execute()
  const asked = new Set(places.map(({ streamId, sequence }) => `${streamId}.${sequence}`))
  return rows.filter((row) => asked.has(`${row.stream_id}.${row.sequence}`)).map(toEvent)
}
