import type { Selectable } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { DeliveryFilter, Page } from '../store.ts'
import type { DeliveriesTable } from '../tables.ts'
import type { Db } from '../unit.ts'
import { toIso } from './instants.ts'

/** The deliveries with these ids, in any order. */
export async function findDeliveries(db: Db, ids: readonly string[]): Promise<Delivery[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).execute()
  return rows.map(toDelivery)
}

/** A page of deliveries, newest first. */
export async function pageOfDeliveries(
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
    ref: row.ref,
    subjectId: row.subject_id,
    statusRaw: row.status_raw,
    disposition: row.disposition,
    attempts: row.attempts,
    firstReceivedAt: toIso(row.first_received_at),
    lastReceivedAt: toIso(row.last_received_at),
    eventId: row.event_id,
    body: row.body,
  }
}
