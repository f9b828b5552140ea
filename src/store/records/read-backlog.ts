import type { ReadBacklog } from '../read-store.ts'
import type { Db } from '../unit.ts'

/** Where counting ends: more than that is as good as any number, and costs no more to find out. */
export const COUNTED_AT_MOST = 10_000

/** What waits to be read, and since when payments have been unconfirmed. `now` in milliseconds since the epoch. */
export async function readBacklog(db: Db, now: number): Promise<ReadBacklog> {
  const counts = (['payments', 'links', 'agreements'] as const).map(async (table) => {
    const due = db.selectFrom(table).select('read_due_at').where('read_due_at', '<=', now).limit(COUNTED_AT_MOST)
    const { count } = await db
      .selectFrom(due.as('due'))
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
  const waiting = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  const longestDue = await db
    .selectFrom('payments')
    .select('read_due_at as since')
    .where('read_due_at', '<=', now)
    .orderBy('read_due_at')
    .limit(1)
    .executeTakeFirst()
  // The condition of the partial index is written out, since a parameter would hide it from the planner.
  const longestInDoubt = await db
    .selectFrom('payments')
    .select('updated_at as since')
    .where((eb) => eb('provisional', '=', eb.lit(1)))
    .orderBy('updated_at')
    .limit(1)
    .executeTakeFirst()
  const since = [longestDue, longestInDoubt].map((row) => row?.since ?? now)
  const unconfirmedSince = Math.min(...since)
  return {
    waiting: Math.min(waiting, COUNTED_AT_MOST),
    unconfirmedSince: unconfirmedSince < now ? new Date(unconfirmedSince) : null,
  }
}
