import { READ_CLASSES, type ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { DueReads, ReadBacklog } from '../../read-store.ts'
import type { Db } from '../../unit.ts'
import { AGREEMENT_READS, countDue, firstDue, LINK_READS, PAYMENT_READS, PAYOUT_READS, sitesOf } from './due-rows.ts'

/** Limit of each count, which bounds its cost: the exact number above it does not matter. */
export const COUNTED_AT_MOST = 10_000

const SOURCES = [PAYMENT_READS, LINK_READS, AGREEMENT_READS, PAYOUT_READS]

/** Returns the due reads, and since when payments have been unconfirmed. `now` in milliseconds since the epoch. */
export async function readBacklog(db: Db, now: number): Promise<ReadBacklog> {
  const due: DueReads[] = []
  const payments: (number | null)[] = [await longestInDoubt(db, 'payments')]
  for (const readSite of await sitesOf(db, SOURCES))
    for (const readClass of READ_CLASSES) {
      due.push(...(await dueOf(db, { readSite, readClass, now })))
      payments.push(await firstDue(db, PAYMENT_READS, { readSite, readClass }))
    }
  const doubts = due.flatMap(({ readClass, since }) => (readClass === 'doubt' ? since.getTime() : []))
  const others = await Promise.all([longestInDoubt(db, 'agreements'), longestInDoubt(db, 'payout_records')])
  const waiting = due.reduce((sum, { count }) => sum + count, 0)
  return {
    waiting: Math.min(waiting, COUNTED_AT_MOST),
    due,
    unconfirmedSince: oldest(payments, now),
    doubtSince: oldest([...doubts, payments[0] ?? null, ...others], now),
  }
}

async function dueOf(
  db: Db,
  { readSite, readClass, now }: { readSite: string; readClass: ReadClass; now: number },
): Promise<DueReads[]> {
  const of = { readSite, readClass, by: now, limit: COUNTED_AT_MOST }
  const counts = await Promise.all(SOURCES.map((source) => countDue(db, source, of)))
  const count = counts.reduce((sum, some) => sum + some, 0)
  if (count === 0) return []
  const firsts = await Promise.all(SOURCES.map((source) => firstDue(db, source, of)))
  const since = Math.min(...firsts.filter((at) => at !== null))
  return [{ readSite, readClass, count: Math.min(count, COUNTED_AT_MOST), since: new Date(since) }]
}

/** Returns the last change of the payment, agreement or payout that has been provisional for longest; null if none is. */
async function longestInDoubt(db: Db, table: 'payments' | 'agreements' | 'payout_records'): Promise<number | null> {
  // The condition of the partial index is a literal, because with a parameter the planner would not use the index.
  const row = await db
    .selectFrom(table)
    .select('updated_at as since')
    .where((eb) => eb('provisional', '=', eb.lit(1)))
    .orderBy('updated_at')
    .limit(1)
    .executeTakeFirst()
  return row?.since ?? null
}

function oldest(instants: readonly (number | null)[], now: number): Date | null {
  const past = instants.filter((at) => at !== null).filter((at) => at < now)
  return past.length === 0 ? null : new Date(Math.min(...past))
}
