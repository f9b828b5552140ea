import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { eventId, parseEventId, type PaymentEvent } from '../../domain/events/payment-event.ts'
import type { Db } from '../group-commit.ts'
import type { EventFilter, EventLog, LogPage } from '../port.ts'
import { EVENTS } from '../rows/log-rows.ts'
import type { StoredRow } from '../rows/table.ts'
import { grouped, oneOf, readPage } from './read-page.ts'
import {
  findStreams,
  type StreamOfEvents,
  byTable,
  SUBJECT_LOGS,
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
      const { events, next } = await read(isNarrow(filter) ? reader : lists, page, filter)
      return { events: events.toReversed(), next }
    },
    byIds: (ids) => byIds(reader, ids),
    previousOfPayments: (events) => previousOfPayments(reader, events),
    ...listening,
  }
}

const MAX_LIMIT = 1000

/** Pairs of stream and sequence per statement, and of events whose predecessors are searched. */
const IDS_PER_STATEMENT = 200
const SEARCHES_PER_STATEMENT = 100

const NARROW: ReadonlySet<string> = new Set(['streamIds', ...SUBJECT_LOGS.map(({ ids }) => ids)])

/** Returns whether a filter is empty or names only streams, of which such a subject has one: then the events are adjacent in an index. */
function isNarrow(filter: EventFilter): boolean {
  return Object.keys(filter).every((name) => NARROW.has(name))
}

async function bounds(db: Db): Promise<{ readonly position: number; readonly horizon: number }> {
  return db.selectFrom('log_head').select(['position', 'horizon']).executeTakeFirstOrThrow()
}

/** The events of a page lie after the position `from`, or before it if they are read backwards. */
type LogStart = { readonly from: number; readonly limit: number; readonly direction: 'asc' | 'desc' }

/** Returns a page in its direction. */
async function read(db: Db, page: LogStart, filter: EventFilter): Promise<LogPage> {
  if (!Number.isInteger(page.limit) || page.limit < 1 || page.limit > MAX_LIMIT)
    throw new RangeError(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  if (Object.values(filter).some((list) => list.length === 0)) return NOTHING
  const tables = byTable(filter)
  if (tables.length > 1 && Object.keys(filter).length === 0) return firstOf([await readWhole(db, page)], page)
  // Up to the head that was read before, all reads see all events.
  const head = tables.length > 1 ? (await bounds(db)).position : Number.MAX_SAFE_INTEGER
  const bounded = page.direction === 'asc' ? page : { ...page, from: Math.min(page.from, head + 1) }
  const pages: LogPage[] = []
  for (const { log, filter: part } of tables) {
    const streams = log === null ? await findStreams(db, part) : (part.streamIds?.map(inFull) ?? null)
    pages.push(await readTable(db, bounded, { log, streams, kinds: part.kinds }))
  }
  return firstOf(pages, page, head)
}

const NOTHING: LogPage = { events: [], next: null }

function inFull(streamId: string): StreamOfEvents {
  return { streamId, only: [] }
}

/** Returns the first events of several pages, up to a position. Behind the end of one page, events of it may be missing. */
function firstOf(pages: readonly LogPage[], { limit, direction }: LogStart, head = Number.MAX_SAFE_INTEGER): LogPage {
  const sign = direction === 'asc' ? 1 : -1
  const ends = pages.flatMap(({ next }) => (next === null || next > head ? [] : [next]))
  const end = ends.length === 0 ? null : sign * Math.min(...ends.map((position) => sign * position))
  const found = pages
    .flatMap(({ events }) => events)
    .filter(({ position }) => position <= head && (end === null || sign * (position - end) <= 0))
    .toSorted((a, b) => sign * (a.position - b.position))
  const events = found.slice(0, limit)
  return { events, next: found.length > limit ? (events.at(-1)?.position ?? null) : end }
}

/** Reads all tables with one statement, and so from one snapshot: between two, a position could be committed that neither has. */
async function readWhole(db: Db, page: LogStart): Promise<LogPage> {
  const subjects = SUBJECT_LOGS.map(({ subject }) => subject)
  const part = (table: string, columns: ReadonlySet<string>) => {
    const list = [...EVENT_COLUMNS, ...subjects].map((name) =>
      columns.has(name) ? sql.ref(name) : sql`null as ${sql.ref(name)}`,
    )
    return sql`select * from (select ${sql.join(list)} from ${sql.table(table)}
      where ${isBeyond(sql.ref('position'), page)} ${end}) as part`
  }
  const end = sql`order by position ${sql.raw(page.direction)} limit ${page.limit + 1}`
  const parts = [
    part('events', new Set(EVENT_COLUMNS)),
    ...SUBJECT_LOGS.map(({ table, spec }) => part(table, new Set(Object.keys(spec.columns)))),
  ]
  const { rows } = await sql<StoredRow>`${sql.join(parts, sql` union all `)} ${end}`.execute(db)
  const events = rows.map((row) => {
    const log = SUBJECT_LOGS.find(({ subject }) => row[subject] !== null)
    return (log?.spec ?? EVENTS).fromRow(row)
  })
  return { events, next: null }
}

/** Returns the condition that an event lies beyond the place where a page begins. */
function isBeyond(position: RawBuilder<unknown>, { from, direction }: LogStart): RawBuilder<SqlBool> {
  return direction === 'asc' ? sql<SqlBool>`${position} > ${from}` : sql<SqlBool>`${position} < ${from}`
}

type TablePart = {
  /** Null for the table of all other events. */
  readonly log: SubjectLog | null
  /** Null for all streams. */
  readonly streams: readonly StreamOfEvents[] | null
  readonly kinds: readonly string[] | undefined
}

async function readTable(db: Db, page: LogStart, { log, streams, kinds }: TablePart): Promise<LogPage> {
  const ofKinds = kinds === undefined ? [] : [oneOf('kind', kinds)]
  const groups = streams === null ? null : grouped(streams)
  // With the expression the table cannot be scanned in the order of its key: that would be slow if few rows match.
  const position = groups === null ? sql.ref('position') : sql`(+position)`
  // The index of one stream is ordered by sequence, which is also the order of positions.
  const isInSequence = groups?.every(({ length }) => length === 1) === true
  const { rows, next } = await readPage<StoredRow & { readonly position: number }>(db, {
    table: log?.table ?? 'events',
    number: 'position',
    direction: page.direction,
    onwards: [isBeyond(position, page)],
    order: [isInSequence ? sql.ref('sequence') : position],
    ranges: groups?.map((group) => ({
      within: [
        oneOf(
          'stream_id',
          group.map(({ streamId }) => streamId),
        ),
      ],
      checked: [...valuesOf(group).map(({ column, values }) => oneOf(column, values)), ...ofKinds],
    })) ?? [{ within: [], checked: ofKinds }],
    limit: page.limit,
  })
  return { events: rows.map((row) => (log?.spec ?? EVENTS).fromRow(row)), next: next?.number ?? null }
}

function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
  return events.toSorted((a, b) => a.position - b.position)
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

async function previousOfPayments(db: Db, events: readonly PaymentEvent[]): Promise<(PaymentEvent | null)[]> {
  const rows: PaymentEvent[] = []
  for (let start = 0; start < events.length; start += SEARCHES_PER_STATEMENT) {
    const searches = events.slice(start, start + SEARCHES_PER_STATEMENT).map(
      ({ streamId, sequence, payment }) => sql`select * from (select * from events
        where stream_id = ${streamId} and sequence < ${sequence} and payment_id = ${payment?.id ?? null}
        order by sequence desc limit 1) as part`,
    )
    const found = await sql<StoredRow>`${sql.join(searches, sql` union all `)}`.execute(db)
    rows.push(...found.rows.map(EVENTS.fromRow))
  }
  return events.map(
    ({ streamId, sequence, payment }) =>
      rows
        .filter((row) => row.streamId === streamId && row.payment?.id === payment?.id && row.sequence < sequence)
        .toSorted((a, b) => b.sequence - a.sequence)[0] ?? null,
  )
}

const EVENT_COLUMNS = Object.keys(EVENTS.columns)
