import type { DeliveryBacklog } from '../../store.ts'
import type { Db } from '../../unit.ts'
import { COUNTED_AT_MOST } from '../reads/read-backlog.ts'

const TABLES = ['payments', 'agreements', 'payout_records', 'gateway_payments'] as const
type DoubtTable = (typeof TABLES)[number]

/** Subjects in doubt of each kind whose deliveries are listed. */
const LISTED_SUBJECTS = 500

/** Returns the ids of payments, agreements, payouts and gateway payments that are in doubt, at most 500 of each. */
export async function subjectsInDoubt(db: Db): Promise<string[]> {
  const found = await Promise.all(TABLES.map((table) => idsInDoubt(db, table, LISTED_SUBJECTS).execute()))
  return found.flat().map(({ id }) => id)
}

function idsInDoubt(db: Db, table: DoubtTable, limit: number) {
  // The condition of the partial index is a literal, because with a parameter the planner would not use the index.
  return db
    .selectFrom(table)
    .select('id')
    .where((eb) => eb('provisional', '=', eb.lit(1)))
    .limit(limit)
}

/** Returns the number of deliveries that need attention. Both counts use an index that contains few other rows, and stop at a limit. */
export async function deliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const quarantined = db
    .selectFrom('deliveries')
    .select('number')
    .where('disposition', '=', 'QUARANTINED')
    .limit(COUNTED_AT_MOST)
  const doubtful = await Promise.all(TABLES.map((table) => inDoubt(db, table)))
  const { count } = await db
    .selectFrom(quarantined.as('counted'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return {
    doubtful: Math.min(
      doubtful.reduce((sum, one) => sum + one, 0),
      COUNTED_AT_MOST,
    ),
    quarantined: Number(count),
  }
}

/** Counts DOUBTFUL deliveries by their subjects that are still in doubt: these are few, but DOUBTFUL deliveries are kept forever. */
async function inDoubt(db: Db, table: DoubtTable): Promise<number> {
  const deliveries = db
    .selectFrom(idsInDoubt(db, table, COUNTED_AT_MOST).as('subject'))
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
