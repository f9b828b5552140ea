import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { eventId, parseEventId, type PaymentEvent } from '../../domain/payments/payment-event.ts'
import type { Db } from '../group-commit.ts'
import { EVENTS, toEvent } from '../rows/log-rows.ts'
import type { StoredRow } from '../rows/table.ts'
import type { EventFilter, EventLog } from '../store.ts'
import { grouped, mergeRanges, oneOf, type Range, unindexed } from './newest-first.ts'
import {
  findStreams,
  type StreamOfEvents,
  byTable,
  SUBJECT_LOGS,
  type SubjectEventFilter,
  type SubjectLog,
  subjectLogOf,
} from './stream-queries.ts'

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

const NARROW: ReadonlySet<string> = new Set(['streamIds', ...SUBJECT_LOGS.map(({ ids }) => ids)])

/** Returns whether a filter is empty or names only streams, of which such a subject has one: then the events are adjacent in an index. */
function isNarrow(filter: EventFilter): boolean {
  return Object.keys(filter).every((name) => NARROW.has(name))
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
  const tables = byTable(filter)
  if (tables.length > 1 && Object.keys(filter).length === 0) return readWhole(db, page)
  // Up to the head that was read before, all reads see all events.
  const head = tables.length > 1 ? (await bounds(db)).position : null
  const bounded = head === null || page.direction === 'asc' ? page : { ...page, from: Math.min(page.from, head + 1) }
  const events: PaymentEvent[] = []
  for (const { log, filter: part } of tables)
    events.push(...(log === null ? await readOthers(db, bounded, part) : await readSubjects(db, bounded, log, part)))
  if (head === null) return events
  const seen = inOrder(events.filter(({ position }) => position <= head))
  return (page.direction === 'asc' ? seen : seen.toReversed()).slice(0, page.limit)
}

/** Reads all tables with one statement, and so from one snapshot: between two, a position could be committed that neither has. */
async function readWhole(db: Db, page: Page): Promise<PaymentEvent[]> {
  const subjects = SUBJECT_LOGS.map(({ subject }) => subject)
  const part = (table: string, columns: ReadonlySet<string>) => {
    const list = [...EVENT_COLUMNS, ...subjects].map((name) =>
      columns.has(name) ? sql.ref(name) : sql`null as ${sql.ref(name)}`,
    )
    return sql`select * from (select ${sql.join(list)} from ${sql.table(table)}
      where ${isBeyond(sql.ref('position'), page)} ${end}) as part`
  }
  const end = sql`order by position ${sql.raw(page.direction)} limit ${page.limit}`
  const parts = [
    part('events', new Set(EVENT_COLUMNS)),
    ...SUBJECT_LOGS.map(({ table, spec }) => part(table, new Set(Object.keys(spec.columns)))),
  ]
  const { rows } = await sql<StoredRow>`${sql.join(parts, sql` union all `)} ${end}`.execute(db)
  return rows.map((row) => {
    const log = SUBJECT_LOGS.find(({ subject }) => row[subject] !== null)
    return (log?.spec ?? EVENTS).fromRow(row)
  })
}

/** Returns the condition that an event lies beyond the place where a page begins. */
function isBeyond(position: RawBuilder<unknown>, { from, direction }: Page): RawBuilder<SqlBool> {
  return direction === 'asc' ? sql<SqlBool>`${position} > ${from}` : sql<SqlBool>`${position} < ${from}`
}

async function readOthers(db: Db, page: Page, filter: EventFilter): Promise<PaymentEvent[]> {
  const kinds = filter.kinds && [...new Set(filter.kinds)]
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

async function readSubjects(
  db: Db,
  page: Page,
  { table, spec }: SubjectLog,
  { streamIds, kinds }: SubjectEventFilter,
): Promise<PaymentEvent[]> {
  if (streamIds?.length === 0) return []
  const stored = kinds && [...new Set(kinds)]
  const position = streamIds === undefined && stored === undefined ? sql.ref('position') : sql`(+position)`
  const isInSequence = streamIds !== undefined && grouped(streamIds).every(({ length }) => length === 1)
  const order = {
    table,
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
      rowsWhere: (condition, end) => rowsFrom(db, table, condition, end),
    },
  )
  return rows.map(spec.fromRow)
}

/** Returns the rows of the events of one kind of subject. */
async function rowsFrom(
  db: Db,
  table: SubjectLog['table'],
  condition: Expression<SqlBool>,
  end: RawBuilder<unknown>,
): Promise<readonly (StoredRow & { readonly position: number })[]> {
  const { rows } = await sql<StoredRow & { readonly position: number }>`
    select * from ${sql.table(table)} where ${condition} ${end}`.execute(db)
  return rows
}

function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
  return events.toSorted((a, b) => a.position - b.position)
}

function rangesOf(streams: readonly StreamOfEvents[] | null, kinds?: readonly string[]): Range[] {
  if (streams === null) return kinds?.map((kind) => [sql`kind = ${kind}`]) ?? [[]]
  const ofKinds = kinds === undefined ? [] : [sql<SqlBool>`${unindexed(sql`kind`)} in (${sql.join(kinds)})`]
  return grouped(streams).map((group) => {
    const ids = group.map(({ streamId }) => streamId)
    const subjects = valuesOf(group).map(({ column, values }) => oneOf(sql.ref(column), values))
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
  const events: PaymentEvent[] = []
  for (const log of [null, ...SUBJECT_LOGS]) {
    const ofLog = places.filter(({ streamId }) => subjectLogOf(streamId) === log)
    if (ofLog.length > 0) events.push(...(await eventsAt(db, log, ofLog)))
  }
  return events.filter(({ id }) => asked.has(id))
}

type Place = { readonly streamId: string; readonly sequence: number }

/** Returns the events of some streams with some sequences, of one table; null for that of all others. */
async function eventsAt(db: Db, log: SubjectLog | null, places: readonly Place[]): Promise<PaymentEvent[]> {
  const streams = [...new Set(places.map(({ streamId }) => streamId))]
  const sequences = [...new Set(places.map(({ sequence }) => sequence))]
  const { rows } = await sql<StoredRow>`select * from ${sql.table(log?.table ?? 'events')}
    where stream_id in (${sql.join(streams)}) and sequence in (${sql.join(sequences)})`.execute(db)
  return rows.map((log?.spec ?? EVENTS).fromRow)
}

const EVENT_COLUMNS = Object.keys(EVENTS.columns)
