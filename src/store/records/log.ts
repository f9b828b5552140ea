import type { Selectable } from 'kysely'
import { eventId, parseEventId, type PaymentEvent } from '../../domain/payment-event.ts'
import type { AppendListeners } from '../append-listeners.ts'
import type { EventFilter, EventLog } from '../store.ts'
import type { EventsTable } from '../tables.ts'
import type { Db } from '../unit.ts'
import { toAgreement } from './agreement-records.ts'
import { toIso } from './instants.ts'
import { toPayment } from './payment-records.ts'

/** The append-only log, read in the order of the commits. */
export function createEventLog(reader: Db, listeners: AppendListeners): EventLog {
  return {
    head: () => head(reader),
    read: (after, limit, filter = {}) => read(reader, { after, limit }, filter),
    byIds: (ids) => byIds(reader, ids),
    onAppend: (listener) => listeners.add(listener),
  }
}

const MAX_LIMIT = 1000

/** Pairs of stream and sequence in one statement: databases bound how deep an OR may grow. */
const IDS_PER_STATEMENT = 200

async function head(db: Db): Promise<number> {
  const { position } = await db.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
  return position
}

async function read(
  db: Db,
  { after, limit }: { after: number; limit: number },
  { streamIds, paymentIds, linkIds, agreementIds, kinds }: EventFilter,
): Promise<PaymentEvent[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new RangeError(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  if ([streamIds, paymentIds, linkIds, agreementIds, kinds].some((list) => list?.length === 0)) return []
  let query = db.selectFrom('events').selectAll().where('position', '>', after)
  if (streamIds !== undefined) query = query.where('stream_id', 'in', streamIds)
  if (paymentIds !== undefined) query = query.where('payment_id', 'in', paymentIds)
  if (agreementIds !== undefined) query = query.where('agreement_id', 'in', agreementIds)
  if (kinds !== undefined) query = query.where('kind', 'in', kinds)
  if (linkIds !== undefined)
    query = query.where('link_ref', 'in', db.selectFrom('links').select('ref').where('id', 'in', linkIds))
  const rows = await query.orderBy('position').limit(limit).execute()
  return rows.map(toEvent)
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
    .where((eb) =>
      eb.or(
        places.map(({ streamId, sequence }) => eb.and([eb('stream_id', '=', streamId), eb('sequence', '=', sequence)])),
      ),
    )
    .execute()
  return rows.map(toEvent)
}

function toEvent(row: Selectable<EventsTable>): PaymentEvent {
  return {
    id: eventId(row.stream_id, row.sequence),
    streamId: row.stream_id,
    sequence: row.sequence,
    position: row.position,
    kind: row.kind,
    source: row.source,
    fromStatus: row.from_status,
    toStatus: row.to_status,
    linkRef: row.link_ref,
    payment: row.payment_json === null ? null : toPayment(row.payment_json),
    agreement: row.agreement_json === null ? null : toAgreement(row.agreement_json),
    recordedAt: toIso(row.recorded_at),
  }
}
