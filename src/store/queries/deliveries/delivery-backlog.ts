import type { DeliveryBacklog } from '../../store.ts'
import type { Db } from '../../unit.ts'
import { COUNTED_AT_MOST } from '../reads/read-backlog.ts'

/** What somebody should look at. Both walks start at an index that holds little else, and end at the same bound. */
export async function deliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const quarantined = db
    .selectFrom('deliveries')
    .select('number')
    .where('disposition', '=', 'QUARANTINED')
    .limit(COUNTED_AT_MOST)
  const doubtful = await Promise.all([inDoubt(db, 'payments'), inDoubt(db, 'agreements')])
  const { count } = await db
    .selectFrom(quarantined.as('counted'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return { doubtful: Math.min(doubtful[0] + doubtful[1], COUNTED_AT_MOST), quarantined: Number(count) }
}

/** Counts the doubtful deliveries about what is still in doubt: it is little, while doubtful deliveries stay for good. */
async function inDoubt(db: Db, table: 'payments' | 'agreements'): Promise<number> {
  // The condition of the partial index is written out, since a parameter would hide it from the planner.
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
