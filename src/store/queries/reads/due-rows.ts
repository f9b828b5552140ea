import type { ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../decide.ts'

/** A table with planned reads, and its column that contains the site. */
type ReadSource = {
  readonly table: 'payments' | 'links' | 'agreements' | 'payout_records'
  readonly site: 'payments.read_site' | 'links.site' | 'agreements.site' | 'payout_records.site'
}

export const PAYMENT_READS: ReadSource = { table: 'payments', site: 'payments.read_site' }
export const LINK_READS: ReadSource = { table: 'links', site: 'links.site' }
export const AGREEMENT_READS: ReadSource = { table: 'agreements', site: 'agreements.site' }

export const PAYOUT_READS: ReadSource = { table: 'payout_records', site: 'payout_records.site' }

export type DueQuery = {
  readonly readSites: readonly string[]
  readonly readClass: ReadClass
  /** Milliseconds since the epoch. */
  readonly by: number
  readonly limit: number
}

type DueRow = { readonly source: string; readonly id: string; readonly dueAt: number }

/** Returns the rows with a due read of one class at some sites, the longest due first: one index lookup per table and site. */
export async function dueRows(db: Db, sources: readonly ReadSource[], query: DueQuery): Promise<DueRow[]> {
  const { readSites, readClass, by, limit } = query
  const rows = await Promise.all(
    sources.flatMap((source) =>
      readSites.map(async (readSite) => {
        const planned = await plannedIn(db, source, { readSite, readClass })
          .select(['id', 'read_due_at'])
          .where('read_due_at', '<=', by)
          .orderBy('number')
          .limit(limit)
          .execute()
        return planned.map(({ id, read_due_at: dueAt }) => ({ source: source.table, id, dueAt: dueAt ?? 0 }))
      }),
    ),
  )
  return rows.flat().sort(byDueAt).slice(0, limit)
}

/** Returns when the first read of one class is planned at a site, in milliseconds since the epoch; null if none is. */
export async function firstDue(
  db: Db,
  source: ReadSource,
  of: { readSite: string; readClass: ReadClass },
): Promise<number | null> {
  const row = await plannedIn(db, source, of).select('read_due_at').limit(1).executeTakeFirst()
  return row?.read_due_at ?? null
}

/** Returns the number of due reads of one class at a site, at most `limit`. */
export async function countDue(
  db: Db,
  source: ReadSource,
  { readSite, readClass, by, limit }: { readSite: string; readClass: ReadClass; by: number; limit: number },
): Promise<number> {
  const due = plannedIn(db, source, { readSite, readClass }).select('read_due_at').where('read_due_at', '<=', by)
  const { count } = await db
    .selectFrom(due.limit(limit).as('due'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the sites at which a read is planned: one index lookup per site. */
export async function sitesOf(db: Db, sources: readonly ReadSource[]): Promise<string[]> {
  const sites = new Set<string>()
  for (const source of sources) {
    for (let site = await siteAfter(db, source, ''); site !== null; site = await siteAfter(db, source, site))
      sites.add(site)
  }
  return [...sites]
}

/** Longest due first. The sort is stable: at one instant, payments precede links, and rows of one table and site are by number. */
function byDueAt(a: DueRow, b: DueRow): number {
  return a.dueAt - b.dueAt
}

async function siteAfter(db: Db, { table, site }: ReadSource, after: string): Promise<string | null> {
  const row = await db
    .selectFrom(table)
    .select(({ ref }) => ref(site).as('site'))
    .where(site, '>', after)
    .where('read_due_at', 'is not', null)
    .orderBy(site)
    .limit(1)
    .executeTakeFirst()
  return row?.site ?? null
}

function plannedIn(
  db: Db,
  { table, site }: ReadSource,
  { readSite, readClass }: { readSite: string; readClass: ReadClass },
) {
  return db
    .selectFrom(table)
    .where(site, '=', readSite)
    .where('read_class', '=', readClass)
    .where('read_due_at', 'is not', null)
    .orderBy('read_due_at')
}
