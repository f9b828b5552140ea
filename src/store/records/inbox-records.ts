import { type Selectable, sql, type SqlBool } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { DeliveryFilter, Page } from '../store.ts'
import type { DeliveriesTable } from '../tables.ts'
import type { Db } from '../unit.ts'
import { toIso } from './instants.ts'
import { mergeRanges } from './merge-ranges.ts'
import { unindexed } from './unindexed.ts'

/** The deliveries with these ids, in any order. */
export async function findDeliveries(db: Db, ids: readonly string[]): Promise<Delivery[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).execute()
  return rows.map(toDelivery)
}

/** A page of deliveries, newest first: from the index by subject, or else from that by disposition. */
export async function pageOfDeliveries(
  db: Db,
  { limit, before }: Page,
  filter: DeliveryFilter,
): Promise<Delivery[]> {
  const subjectIds = filter.subjectIds && [...new Set(filter.subjectIds)]
  const dispositions = filter.dispositions && [...new Set(filter.dispositions)]
  if (subjectIds?.length === 0 || dispositions?.length === 0) return []
  const deliveries = db.selectFrom('deliveries').selectAll()
  const page = before === null ? deliveries : deliveries.where('number', '<', before.number)
  const ofSubject = (id: string) => {
    const range = page.where('subject_id', '=', id)
    return dispositions === undefined
      ? range
      : range.where(sql<SqlBool>`${unindexed('disposition')} in (${sql.join(dispositions)})`)
  }
  const ranges = subjectIds?.map(ofSubject) ?? dispositions?.map((name) => page.where('disposition', '=', name)) ?? [page]
  const rows = await mergeRanges(ranges, { columns: ['number'], direction: 'desc' }, limit)
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
