import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Delivery } from '../../../domain/delivery.ts'
import type { RefKind } from '../../command-store.ts'
import type { Db } from '../../group-commit.ts'
import type { Database } from '../../port.ts'
import { toDelivery } from '../../rows/log-rows.ts'
import type { DeliveryFilter, PageQuery, DeliveryBacklog } from '../../store.ts'
import { grouped, mergeRanges, oneOf, type Range, ROW_NUMBER, unindexed } from '../newest-first.ts'
import { COUNTED_AT_MOST } from '../reads/reads.ts'

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

/** Returns the deliveries with these ids, in any order. */
async function findDeliveries(db: Db, ids: readonly string[]): Promise<Delivery[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).execute()
  return rows.map(toDelivery)
}

/** Returns a page of deliveries, newest first: from the index by subject, else from that by disposition, else from the table. */
async function pageOfDeliveries(db: Db, { limit, before }: PageQuery, filter: DeliveryFilter): Promise<Delivery[]> {
  const subjectIds = filter.subjectIds && [...new Set(filter.subjectIds)]
  const dispositions = filter.dispositions && [...new Set(filter.dispositions)]
  if (subjectIds?.length === 0 || dispositions?.length === 0) return []
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    db.selectFrom('deliveries').selectAll().where(condition).modifyEnd(end).execute()
  // With the expression the table cannot be scanned in the order of its key: that would be slow if few rows match.
  const inOrder =
    filter.needsAttention !== true &&
    (subjectIds === undefined ? dispositions === undefined : grouped(subjectIds).every(({ length }) => length === 1))
  const number = inOrder ? sql.ref('number') : ROW_NUMBER
  const order = { table: 'deliveries', columns: [{ name: 'number', by: number }], direction: 'desc' } as const
  const onwards = before === null ? [] : [sql<SqlBool>`${number} < ${before.number}`]
  const asked =
    filter.needsAttention === true
      ? await rangesOfAttention(db, subjectIds, dispositions)
      : rangesOf(subjectIds, dispositions)
  if (asked.length === 0) return []
  const ranges = asked.map((range) => range.concat(onwards))
  const rows = await mergeRanges(ranges, { order, limit, rowsWhere })
  return rows.map(toDelivery)
}

function rangesOf(subjectIds?: readonly string[], dispositions?: readonly string[]): Range[] {
  if (subjectIds === undefined) return dispositions?.map((name) => [sql`disposition = ${name}`]) ?? [[]]
  const only =
    dispositions === undefined ? [] : [sql<SqlBool>`${unindexed(sql`disposition`)} in (${sql.join(dispositions)})`]
  return grouped(subjectIds).map((ids) => [oneOf(sql.ref('subject_id'), ids)].concat(only))
}

/** QUARANTINED deliveries, and DOUBTFUL ones while their subject is in doubt. These subjects are few, and DOUBTFUL deliveries are kept forever. */
async function rangesOfAttention(
  db: Db,
  subjectIds: readonly string[] | undefined,
  dispositions: readonly string[] = ['QUARANTINED', 'DOUBTFUL'],
): Promise<Range[]> {
  const quarantined = dispositions.includes('QUARANTINED') ? rangesOf(subjectIds, ['QUARANTINED']) : []
  if (!dispositions.includes('DOUBTFUL')) return quarantined
  const inDoubt = await subjectsInDoubt(db)
  const doubtful = subjectIds === undefined ? inDoubt : inDoubt.filter((id) => subjectIds.includes(id))
  return doubtful.length === 0 ? quarantined : [...quarantined, ...rangesOf(doubtful, ['DOUBTFUL'])]
}

/** The attempt of a correlation id. */
type KnownRef = { readonly kind: RefKind; readonly commandId: string; readonly site: string | null }

/** Returns the attempt with this correlation id, even if its command was deleted. */
async function findRef(db: Db, ref: string): Promise<KnownRef | null> {
  const row = await db
    .selectFrom('command_refs')
    .select(['kind', 'command_id', 'site'])
    .where('ref', '=', ref)
    .executeTakeFirst()
  return row === undefined ? null : { kind: row.kind, commandId: row.command_id, site: row.site }
}

/** Returns whether this correlation id belongs to an attempt of one of these kinds. */
async function knowsRef(db: Db, ref: string, kinds: readonly RefKind[]): Promise<boolean> {
  const known = await findRef(db, ref)
  return known !== null && kinds.includes(known.kind)
}

/** Returns the correlation ids of all attempts of the same command; only the given one if it is unknown. */
export async function refsOfSameCommand(db: Db, ref: string): Promise<string[]> {
  const known = await findRef(db, ref)
  if (known === null) return [ref]
  const rows = await db.selectFrom('command_refs').select('ref').where('command_id', '=', known.commandId).execute()
  return rows.map((row) => row.ref)
}

/** The payments API has no read that would end the doubt about a gateway payment, so none is counted. */
const TABLES = ['payments', 'agreements', 'payout_records'] as const
type DoubtTable = (typeof TABLES)[number]

/** Subjects in doubt of each kind whose deliveries are listed. */
const LISTED_SUBJECTS = 500

/** Returns the ids of payments, agreements and payouts that are in doubt, at most 500 of each. */
async function subjectsInDoubt(db: Db): Promise<string[]> {
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
async function deliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const quarantined = db
    .selectFrom('deliveries')
    .select('number')
    .where('disposition', '=', 'QUARANTINED')
    .limit(COUNTED_AT_MOST)
  const doubtful = await Promise.all(TABLES.map((table) => countInDoubt(db, table)))
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
async function countInDoubt(db: Db, table: DoubtTable): Promise<number> {
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
