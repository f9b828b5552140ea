import type { Selectable } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { DeliveryFilter, Inbox, Page } from '../store.ts'
import type { DeliveriesTable } from '../tables.ts'
import type { Db, Write } from '../unit.ts'
import { subjectOf } from './deliveries.ts'
import { toIso } from './instants.ts'
import { keepCallback } from './keep-callback.ts'
import { receiveAgreement } from './receive-agreement.ts'
import { receiveDelivery } from './receive-delivery.ts'
import { knowsRef } from './refs.ts'

/** The webhooks as they came in. */
export function createInbox(reader: Db, write: Write): Inbox {
  return {
    receive: (delivery) => write((unit) => receiveDelivery(unit, delivery)),
    receiveAgreement: (callback) => write((unit) => receiveAgreement(unit, callback)),
    keep: (callback) => write(({ db }) => keepCallback(db, callback)),
    subjectOf: (ref) => subjectOf(reader, ref),
    knowsRef: (ref, kinds) => knowsRef(reader, ref, kinds),
    page: (page, filter) => pageOfDeliveries(reader, page, filter),
  }
}

async function pageOfDeliveries(
  db: Db,
  { limit, before }: Page,
  { subjectIds, dispositions }: DeliveryFilter,
): Promise<Delivery[]> {
  if (subjectIds?.length === 0 || dispositions?.length === 0) return []
  let query = db.selectFrom('deliveries').selectAll()
  if (before !== null) query = query.where('number', '<', before)
  if (subjectIds !== undefined) query = query.where('subject_id', 'in', subjectIds)
  if (dispositions !== undefined) query = query.where('disposition', 'in', dispositions)
  const rows = await query.orderBy('number', 'desc').limit(limit).execute()
  return rows.map(toDelivery)
}

function toDelivery(row: Selectable<DeliveriesTable>): Delivery {
  return {
    id: row.id,
    number: row.number,
    subjectId: row.subject_id,
    statusRaw: row.status_raw,
    disposition: row.disposition,
    attempts: row.attempts,
    firstReceivedAt: toIso(row.first_received_at),
    lastReceivedAt: toIso(row.last_received_at),
    eventId: row.event_id,
  }
}
