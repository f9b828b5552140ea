import type { Db } from '../../group-commit.ts'
import type { Database, SweepPage } from '../../port.ts'
import { AGREEMENT_READS, LINK_READS, PAYMENT_READS, PAYOUT_READS, plannedIn, sitesOf } from './read-subjects.ts'

/** Rows per step; one decision processes them, in one turn of the event loop. */
const SWEPT_AT_ONCE = 250

/** What a sweep goes through: the polls of what is under way, then the reads of open links. */
const PARTS = [
  { table: 'payments', source: PAYMENT_READS, readClass: 'poll' },
  { table: 'payments', source: PAYMENT_READS, readClass: 'expiry' },
  { table: 'agreements', source: AGREEMENT_READS, readClass: 'poll' },
  { table: 'payouts', source: PAYOUT_READS, readClass: 'poll' },
  { table: 'links', source: LINK_READS, readClass: 'expiry' },
] as const

/** Creates the queries of a sweep: index look-ups for each of its parts. */
export function sweepQueries(reader: Db): Database['sweep'] {
  const state = async () => {
    const { sweep_from: from, sweep_links: links } = await reader
      .selectFrom('meta')
      .select(['sweep_from', 'sweep_links'])
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    return { from: from === null ? null : new Date(from), links }
  }
  return {
    state,
    pending: async () => (await state()).from,
    page: (after) => firstPage(reader, after),
  }
}

/** What was brought forward is not after the instants any more, so the first page that is found is the next one. */
async function firstPage(db: Db, after: { readonly polls: number; readonly links: number }): Promise<SweepPage | null> {
  for (const { table, source, readClass } of PARTS)
    for (const readSite of await sitesOf(db, [source])) {
      const rows = await plannedIn(db, source, { readSite, readClass })
        .select('id')
        .where('read_due_at', '>', table === 'links' ? after.links : after.polls)
        .orderBy('read_due_at')
        .limit(SWEPT_AT_ONCE)
        .execute()
      if (rows.length > 0) return { table, ids: rows.map(({ id }) => id) }
    }
  return null
}
