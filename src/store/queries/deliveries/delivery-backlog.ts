import type { DeliveryBacklog } from '../../store.ts'
import type { Db } from '../../unit.ts'
import { COUNTED_AT_MOST } from '../reads/read-backlog.ts'

/** Returns the number of deliveries that need attention. Both counts use an index that contains few other rows, and stop at a limit. */
export async function deliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const quarantined = db
    .selectFrom('deliveries')
    .select('number')
    .where('disposition', '=', 'QUARANTINED')
    .limit(COUNTED_AT_MOST)
  const doubtful = await Promise.all([
    inDoubt(db, 'payments'),
    inDoubt(db, 'agreements'),
    inDoubt(db, 'payout_records'),
  ])
  const { count } = await db
    .selectFrom(quarantined.as('counted'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return { doubtful: Math.min(doubtful[0] + doubtful[1] + doubtful[2], COUNTED_AT_MOST), quarantined: Number(count) }
}

/** Counts DOUBTFUL deliveries by their subjects that are still in doubt: these are few, but DOUBTFUL deliveries are kept forever. */
async function inDoubt(db: Db, table: 'payments' | 'agreements' | 'payout_records'): Promise<number> {
  // The condition of the partial index is a literal, because with a parameter the planner would not use the index.
  const subjects = db
    .selectFrom(table)
    .select('id')
    .where((eb) => eb('provisional', '=', eb.lit(1)))
    .limit(COUNTED_AT_MOST)
  const deliveries = db
    .selectFrom(subjects.as('subject'))
    .innerJoin('deliveries', 'deliveries.subject_id', 'subject.id')
    .select('deliveries.number')
    .where('deliveries.disposition', '=', 'DOUBTFUL')
    .limit(COUNTED_AT_MOST)
  const { count } = await db
    .selectFrom(deliveries.as('counted'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
