import { type Expression, sql, type SqlBool } from 'kysely'
import type { Delivery } from '../../../domain/delivery.ts'
import type { Disposition } from '../../../domain/payments/payment.ts'
import type { RefKind } from '../../command-store.ts'
import type { Db } from '../../group-commit.ts'
import type { Page, PageQuery } from '../../page.ts'
import type { Database } from '../../port.ts'
import type { DeliveryFilter, PaymentsDeliveryBacklog } from '../../port.ts'
import { toDelivery } from '../../rows/log-rows.ts'
import { grouped, newestFirst, NO_PAGE, oneOf, type Ranges, ROW_NUMBER, unplaced } from '../read-page.ts'
import { COUNTED_AT_MOST } from '../reads/reads.ts'

/** Creates the queries of received deliveries. `lists` reads outside the event loop where the database can. */
export function inboxQueries(reader: Db, lists: Db): Database['inbox'] {
  return {
    subjectOf: (ref) => subjectOf(reader, ref),
    knowsRef: (ref, kinds) => knowsRef(reader, ref, kinds),
    traceparentOf: async (ref) => (await findRef(reader, ref))?.traceparent ?? null,
    byIds: (ids) => findDeliveries(reader, ids),
    page: (page, filter) => pageOfDeliveries(lists, page, filter),
    backlog: () => deliveryBacklog(lists),
  }
}

/** See `InboxQueries.subjectOf`. */
async function subjectOf(db: Db, ref: string): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('subject_id')
    .where('ref', '=', ref)
    .where('subject_id', 'is not', null)
    .where('disposition', '!=', 'QUARANTINED')
    .orderBy(ROW_NUMBER, 'desc')
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

/** Returns a page: from the index by subject, from that of dispositions that few have, or from the table. */
async function pageOfDeliveries(db: Db, page: PageQuery, filter: DeliveryFilter): Promise<Page<Delivery>> {
  const { subjectIds, dispositions, needsAttention } = filter
  if (isOfNone(filter)) return NO_PAGE
  const checks = plainChecks(filter)
  const ofSubjects = (ids: readonly string[], others: readonly Expression<SqlBool>[] = []) =>
    grouped([...new Set(ids)]).map((some) => [oneOf('subject_id', some)].concat(others))
  const read = async (ranges: Ranges, checked: readonly Expression<SqlBool>[]) =>
    unplaced(await newestFirst(db, { table: 'deliveries', page, ranges, checked, toValue: toDelivery }))
  if (needsAttention !== true) {
    if (subjectIds !== undefined) return read(ofSubjects(subjectIds), checks)
    const areRare = dispositions?.every((name) => RARE.has(name)) ?? false
    return read(areRare ? [...new Set(dispositions)].map((name) => [is(name)]) : undefined, checks)
  }
  // Besides, those that are DOUBTFUL while their subject is in doubt. These subjects are few, and DOUBTFUL deliveries are kept forever.
  const inDoubt = (await subjectsInDoubt(db)).filter((id) => subjectIds?.includes(id) ?? true)
  return read(
    [[is('QUARANTINED')], ...ofSubjects(inDoubt, [is('DOUBTFUL')])],
    subjectIds === undefined ? checks : [...checks, oneOf('subject_id', subjectIds)],
  )
}

/** Returns the conditions of a filter on rows that are looked at; null for a filter that none meets. */
export async function deliveryChecks(db: Db, filter: DeliveryFilter): Promise<readonly Expression<SqlBool>[] | null> {
  if (isOfNone(filter)) return null
  const { subjectIds, needsAttention } = filter
  const checks = [...plainChecks(filter), ...(subjectIds === undefined ? [] : [oneOf('subject_id', subjectIds)])]
  if (needsAttention !== true) return checks
  const inDoubt = await subjectsInDoubt(db)
  if (inDoubt.length === 0) return [...checks, is('QUARANTINED')]
  const isInDoubt = sql`${is('DOUBTFUL')} AND ${oneOf('subject_id', inDoubt)}`
  return [...checks, sql<SqlBool>`(${is('QUARANTINED')} OR (${isInDoubt}))`]
}

function isOfNone({ subjectIds, dispositions, refKinds }: DeliveryFilter): boolean {
  return subjectIds?.length === 0 || dispositions?.length === 0 || refKinds?.length === 0
}

/** The conditions for which there is no index. */
function plainChecks({ dispositions, receivedFrom, receivedBefore, refKinds }: DeliveryFilter): Expression<SqlBool>[] {
  return [
    ...(dispositions === undefined ? [] : [oneOf('disposition', dispositions)]),
    ...(receivedFrom === undefined ? [] : [sql<SqlBool>`first_received_at >= ${receivedFrom.getTime()}`]),
    ...(receivedBefore === undefined ? [] : [sql<SqlBool>`first_received_at < ${receivedBefore.getTime()}`]),
    ...(refKinds === undefined ? [] : [isAtAddressOf(refKinds)]),
  ]
}

/** On rows that are looked at: see `readPage`. */
function isAtAddressOf(kinds: readonly (RefKind | null)[]): Expression<SqlBool> {
  const named = kinds.filter((kind) => kind !== null)
  const isDefault = kinds.includes(null) ? sql`looked.ref IS NULL` : sql`1 = 0`
  if (named.length === 0) return sql<SqlBool>`(${isDefault})`
  return sql<SqlBool>`(${isDefault} OR EXISTS (SELECT 1 FROM command_refs AS known WHERE known.ref = looked.ref AND known.kind IN (${sql.join(named)})))`
}

/** An index has these alone. */
const RARE: ReadonlySet<Disposition> = new Set(['QUARANTINED', 'DOUBTFUL'])

/** The condition of a partial index is a literal, because with a parameter the planner would not use the index. */
function is(disposition: Disposition): Expression<SqlBool> {
  return sql`disposition = ${sql.lit(disposition)}`
}

/** The attempt of a correlation id. */
type KnownRef = { readonly kind: RefKind; readonly commandId: string; readonly traceparent: string | null }

/** Returns the attempt with this correlation id, even if its command was deleted. */
async function findRef(db: Db, ref: string): Promise<KnownRef | null> {
  const row = await db
    .selectFrom('command_refs')
    .select(['kind', 'command_id', 'traceparent'])
    .where('ref', '=', ref)
    .executeTakeFirst()
  return row === undefined ? null : { kind: row.kind, commandId: row.command_id, traceparent: row.traceparent }
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
  return db
    .selectFrom(table)
    .select('id')
    .where(sql<SqlBool>`provisional = 1`)
    .limit(limit)
}

/** Returns the number of deliveries that need attention. Both counts use an index that contains few other rows, and stop at a limit. */
async function deliveryBacklog(db: Db): Promise<PaymentsDeliveryBacklog> {
  const quarantined = db.selectFrom('deliveries').select('number').where(is('QUARANTINED')).limit(COUNTED_AT_MOST)
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
    // In this order, which SQLite's planner would change.
    .crossJoin('deliveries')
    .whereRef('deliveries.subject_id', '=', 'subject.id')
    .select('deliveries.number')
    .where('deliveries.disposition', '=', 'DOUBTFUL')
    .limit(COUNTED_AT_MOST)
  const { count } = await db
    .selectFrom(deliveries.as('counted'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
