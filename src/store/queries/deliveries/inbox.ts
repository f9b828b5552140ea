import type { Database } from '../../port.ts'
import type { Db } from '../../unit.ts'
import { deliveryBacklog } from './delivery-backlog.ts'
import { findDeliveries, pageOfDeliveries } from './inbox-records.ts'
import { knowsRef } from './refs.ts'

/** Creates the queries of received deliveries. `lists` reads outside the event loop where the database can. */
export function inboxQueries(reader: Db, lists: Db): Database['inbox'] {
  return {
    subjectOf: (ref) => subjectOf(reader, ref),
    knowsRef: (ref, kinds) => knowsRef(reader, ref, kinds),
    byIds: (ids) => findDeliveries(reader, ids),
    page: (page, filter) => pageOfDeliveries(lists, page, filter),
    backlog: () => deliveryBacklog(lists),
  }
}

/** See `Inbox.subjectOf`. */
async function subjectOf(db: Db, ref: string): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('subject_id')
    .where('ref', '=', ref)
    .where('subject_id', 'is not', null)
    .where('disposition', '!=', 'QUARANTINED')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.subject_id ?? null
}
