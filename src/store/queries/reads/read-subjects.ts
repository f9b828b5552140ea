import type { DirectPayin } from '../../../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../../../domain/payments/payment-link.ts'
import type { Payment } from '../../../domain/payments/payment.ts'
import { READ_CLASSES, type ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../group-commit.ts'
import { toLink, toLinkOrNull } from '../../rows/link-rows.ts'
import { toPayment } from '../../rows/payment-rows.ts'
import type { DueRead, DueReadsQuery, ReadKind, ReadSubject } from '../../subject-stores.ts'
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
  const row = await paymentSubjects(db).where('payments.id', '=', paymentId).executeTakeFirst()
  return row === undefined ? null : toPaymentSubject(row, (await payinsOf(db, [paymentId]))[0] ?? null)
}

/** Returns a subject of the link with this upstream uuid, without its payment even if it has one. */
export async function findLinkSubject(db: Db, linkId: string): Promise<ReadSubjectRow | null> {
  const row = await db.selectFrom('links').selectAll().where('id', '=', linkId).executeTakeFirst()
  return row === undefined ? null : toLinkSubject(row)
}

function paymentSubjects(db: Db) {
  return db
    .selectFrom('payments')
    .leftJoin('links', 'links.ref', 'payments.link_ref')
    .selectAll('links')
    .select([
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

/** A table with planned reads, and its column that contains the site. */
type ReadSource = {
  readonly kind: ReadKind
  readonly table: 'payments' | 'links' | 'agreements' | 'payout_records'
  readonly site: 'payments.read_site' | 'links.site' | 'agreements.site' | 'payout_records.site'
}

export const PAYMENT_READS: ReadSource = { kind: 'payment', table: 'payments', site: 'payments.read_site' }
export const LINK_READS: ReadSource = { kind: 'link', table: 'links', site: 'links.site' }
export const AGREEMENT_READS: ReadSource = { kind: 'agreement', table: 'agreements', site: 'agreements.site' }
export const PAYOUT_READS: ReadSource = { kind: 'payout', table: 'payout_records', site: 'payout_records.site' }

export const READ_SOURCES: readonly ReadSource[] = [PAYMENT_READS, LINK_READS, AGREEMENT_READS, PAYOUT_READS]

/** Returns the due reads in the order of `ReadQueries.due`: one index look-up for each class, table and site. */
export async function dueReads(db: Db, query: DueReadsQuery): Promise<DueRead[]> {
  const due: DueRead[] = []
  for (const readClass of READ_CLASSES)
    if (due.length < query.limit) due.push(...(await dueOfClass(db, query, readClass)))
  return due.slice(0, query.limit)
}

async function dueOfClass(db: Db, { readSites, by, limit }: DueReadsQuery, readClass: ReadClass): Promise<DueRead[]> {
  const order = readClass === 'doubt' ? 'asc' : 'desc'
  const lookUps = READ_SOURCES.flatMap((source) =>
    readSites.map(async (readSite) => {
      const rows = await plannedIn(db, source, { readSite, readClass })
        .select(['id', 'read_due_at'])
        .where('read_due_at', '<=', by.getTime())
        .orderBy('read_due_at', order)
        .orderBy('number', order)
        .limit(limit)
        .execute()
      return rows.map(({ id, read_due_at: at }) => ({ kind: source.kind, id, readClass, dueAt: new Date(at ?? 0) }))
    }),
  )
  const due = (await Promise.all(lookUps)).flat()
  // The sort is stable: at one instant, payments precede links.
  const sign = order === 'asc' ? 1 : -1
  return due.sort((a, b) => sign * (a.dueAt.getTime() - b.dueAt.getTime()))
}

/** Returns when the first read of one class is planned at a site, in milliseconds since the epoch; null if none is. */
export async function firstDue(
  db: Db,
  source: ReadSource,
  of: { readSite: string; readClass: ReadClass },
): Promise<number | null> {
  const row = await plannedIn(db, source, of).select('read_due_at').orderBy('read_due_at').limit(1).executeTakeFirst()
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

/** Selects the planned reads of one class at a site. */
export function plannedIn(
  db: Db,
  { table, site }: ReadSource,
  { readSite, readClass }: { readSite: string; readClass: ReadClass },
) {
  return db
    .selectFrom(table)
    .where(site, '=', readSite)
    .where('read_class', '=', readClass)
    .where('read_due_at', 'is not', null)
}
