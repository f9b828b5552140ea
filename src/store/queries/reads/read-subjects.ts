import type { DirectPayin } from '../../../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../../../domain/payments/payment-link.ts'
import type { Payment } from '../../../domain/payments/payment.ts'
import type { ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../group-commit.ts'
import { toLink, toLinkOrNull, toPayment } from '../../rows/payment-rows.ts'
import { fromIso } from '../../rows/table.ts'
import type { ReadSubject } from '../../subject-stores.ts'
import { payinsOf } from '../payment-queries.ts'

/** The stored subject of a read: a payment with its link, or a link without a known payment. */
export type ReadSubjectRow = {
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** The request of a payment that was created without a link. */
  readonly payin: DirectPayin | null
  readonly namedLinkId: string | null
  readonly readSite: string | null
  readonly deliveries: number
  readonly failures: number
  /** Milliseconds since the epoch; null if no read is planned. */
  readonly dueAt: number | null
}

/** Converts a stored subject to the one of the store's interface. */
export function toReadSubject({ dueAt, ...row }: ReadSubjectRow): ReadSubject {
  return { ...row, paymentId: row.payment?.id ?? null, dueAt: dueAt === null ? null : new Date(dueAt) }
}

/** Returns the subject with this payment id. */
export async function findPaymentSubject(db: Db, paymentId: string): Promise<ReadSubjectRow | null> {
  return (await subjectsOfPayments(db, [paymentId]))[0] ?? null
}

/** Returns a subject of the link with this upstream uuid, without its payment even if it has one. */
export async function findLinkSubject(db: Db, linkId: string): Promise<ReadSubjectRow | null> {
  const row = await db.selectFrom('links').selectAll().where('id', '=', linkId).executeTakeFirst()
  return row === undefined ? null : toLinkSubject(row)
}

/** Returns the subjects of these sites whose read of one class is due by an instant, the longest due first. */
export async function dueSubjects(db: Db, query: DueQuery): Promise<ReadSubjectRow[]> {
  const rows = await dueRows(db, [PAYMENT_READS, LINK_READS], query)
  const idsOf = (table: string) => rows.filter((row) => row.source === table).map(({ id }) => id)
  const payments = await subjectsOfPayments(db, idsOf('payments'))
  const links = await subjectsOfLinks(db, idsOf('links'))
  const byId = new Map<string, ReadSubjectRow>([
    ...payments.map((subject) => [`payments ${subject.payment?.id}`, subject] as const),
    ...links.map((subject) => [`links ${subject.link?.id}`, subject] as const),
  ])
  return rows.flatMap(({ source, id }) => byId.get(`${source} ${id}`) ?? [])
}

/** Returns the subjects with these payment ids, in any order. */
async function subjectsOfPayments(db: Db, ids: readonly string[]): Promise<ReadSubjectRow[]> {
  if (ids.length === 0) return []
  const rows = await paymentSubjects(db).where('payments.id', 'in', ids).execute()
  const payins = new Map((await payinsOf(db, ids)).map((payin) => [payin.paymentId, payin]))
  return rows.map((row) => toPaymentSubject(row, payins.get(row.payment_id_asked) ?? null))
}

async function subjectsOfLinks(db: Db, ids: readonly string[]): Promise<ReadSubjectRow[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('links').selectAll().where('id', 'in', ids).execute()).map(toLinkSubject)
}

function paymentSubjects(db: Db) {
  return db
    .selectFrom('payments')
    .leftJoin('links', 'links.ref', 'payments.link_ref')
    .selectAll('links')
    .select([
      'payments.id as payment_id_asked',
      'payments.state_json',
      'payments.named_link_id',
      'payments.read_site as payment_read_site',
      'payments.deliveries as payment_deliveries',
      'payments.read_failures as payment_failures',
      'payments.read_due_at as payment_due_at',
    ])
}

type PaymentSubjectRow = Awaited<ReturnType<ReturnType<typeof paymentSubjects>['executeTakeFirstOrThrow']>>

/** `deliveries`: both counts only grow, so an equal sum means that neither has changed. */
function toPaymentSubject(row: PaymentSubjectRow, payin: DirectPayin | null): ReadSubjectRow {
  return {
    payment: toPayment(row.state_json),
    link: toLinkOrNull(row),
    payin,
    namedLinkId: row.named_link_id,
    readSite: row.payment_read_site,
    deliveries: row.payment_deliveries + (row.deliveries ?? 0),
    failures: row.payment_failures,
    dueAt: row.payment_due_at,
  }
}

function toLinkSubject(row: Parameters<typeof toLink>[0]): ReadSubjectRow {
  return {
    payment: null,
    link: toLink(row),
    payin: null,
    namedLinkId: null,
    readSite: null,
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at,
  }
}

/**
 * Returns the subjects of at most `limit` links (or payins) of the same site, from the subject's own on by creation, which the payments API
 * lists together. In any order. Empty if neither a link nor a payin is recorded for the subject.
 */
export async function nearbySubjects(db: Db, { link, payin }: ReadSubject, limit: number): Promise<ReadSubjectRow[]> {
  if (link !== null) return nearbyLinks(db, { site: link.site, from: fromIso(link.createdAt), limit })
  return payin === null ? [] : nearbyPayins(db, { site: payin.site, from: fromIso(payin.createdAt), limit })
}

type Span = { readonly site: string; readonly from: number; readonly limit: number }

async function nearbyLinks(db: Db, { site, from, limit }: Span): Promise<ReadSubjectRow[]> {
  const links = await db
    .selectFrom('links')
    .select(['id', 'payment_id'])
    .where('site', '=', site)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  const paid = await subjectsOfPayments(
    db,
    links.flatMap(({ payment_id: id }) => id ?? []),
  )
  const unused = await Promise.all(
    links.filter(({ payment_id: id }) => id === null).map(({ id }) => findLinkSubject(db, id)),
  )
  return [...paid, ...unused.filter((subject) => subject !== null)]
}

async function nearbyPayins(db: Db, { site, from, limit }: Span): Promise<ReadSubjectRow[]> {
  const payins = await db
    .selectFrom('payins')
    .select('payment_id')
    .where('site', '=', site)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return subjectsOfPayments(
    db,
    payins.map(({ payment_id: id }) => id),
  )
}

/** A table with planned reads, and its column that contains the site. */
type ReadSource = {
  readonly table: 'payments' | 'links' | 'agreements' | 'payout_records'
  readonly site: 'payments.read_site' | 'links.site' | 'agreements.site' | 'payout_records.site'
}

export const PAYMENT_READS: ReadSource = { table: 'payments', site: 'payments.read_site' }
export const LINK_READS: ReadSource = { table: 'links', site: 'links.site' }
export const AGREEMENT_READS: ReadSource = { table: 'agreements', site: 'agreements.site' }

export const PAYOUT_READS: ReadSource = { table: 'payout_records', site: 'payout_records.site' }

type DueQuery = {
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
