import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import { PAYMENT_PHASES, type PaymentPhase } from '../../domain/payments/payment-report.ts'
import { readByIds, type RowCache } from '../committed-rows.ts'
import type { Db } from '../decide.ts'
import { toLink } from '../rows/link-rows.ts'
import { toPayment } from '../rows/payment-rows.ts'
import type { LinkFilter, LinkStore, PageQuery, Placed } from '../store.ts'
import { lookUp, mergeRanges, type Range, type NewestFirst, newestFirst, unindexed } from './newest-first.ts'

export type LinkStoreParts = {
  readonly reader: Db
  /** Reads outside the event loop where the database can. */
  readonly lists: Db
  readonly cache: RowCache<PaymentLink> | null
  /** Time for the expiry of links without a payment. */
  readonly now: () => Date
}

/** Creates the queries of links. */
export function createLinkStore({ reader, lists, cache, now }: LinkStoreParts): LinkStore {
  return {
    ...readByIds(linksBy(reader, 'id'), cache),
    byRefs: linksBy(reader, 'ref'),
    page: (page, filter) => pageOfLinks(lists, page, { ...filter, now: now().getTime() }),
    snapshot: (id) => snapshot(reader, id),
  }
}

function linksBy(db: Db, column: 'id' | 'ref'): (values: readonly string[]) => Promise<PaymentLink[]> {
  const read = lookUp(db, (values) => db.selectFrom('links').selectAll().where(column, 'in', values))
  return async (values) => (await read(values)).map(toLink)
}

/** The expression of the indexes: the phase of the payment; without one OPEN, or EXPIRED once the payments API has reported it. */
const PHASE = sql<PaymentPhase | 'OPEN'>`(coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END))`
const PHASE_OF_REFERENCE = sql`(coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END) || '')`

type Asked = { readonly reference: string | undefined; readonly list: NewestFirst; readonly now: number }

/**
 * Returns a page from one index: it contains the links of each phase (and reference) in the order of the list. Only links that have
 * expired, but for which the payments API has not reported it yet, are looked up by their expiry.
 */
async function pageOfLinks(
  db: Db,
  { limit, before }: PageQuery,
  { reference, createdFrom, createdBefore, phases = PAYMENT_PHASES, now }: LinkFilter & { readonly now: number },
): Promise<Placed<PaymentLink>[]> {
  if (phases.length === 0) return []
  const list = newestFirst('links', 'created_at', { from: createdFrom, until: createdBefore, before })
  const asked = { reference, list, now }
  const open = phases.includes('IN_PROGRESS')
  const over = phases.includes('EXPIRED')
  const ranges = [...new Set(phases)].map((phase) => ofPhase(phase, asked))
  if (open) ranges.push([...ofPhase('OPEN', asked), ...(over ? [] : [sql<SqlBool>`expires_at > ${now}`])])
  if (over && !open) ranges.push(unconfirmed(asked))
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    links(db).where(condition).modifyEnd(end).execute()
  const rows = await mergeRanges(ranges, { order: list.order, limit, rowsWhere })
  return rows.map((row) => list.placed(row, toLink(row)))
}

function links(db: Db) {
  return db.selectFrom('links').selectAll().select('created_at as at')
}

function ofPhase(phase: PaymentPhase | 'OPEN', { reference, list: { conditions } }: Asked): Range {
  return reference === undefined
    ? [sql`${PHASE} = ${phase}`, ...conditions]
    : [sql`reference = ${reference}`, sql`${PHASE_OF_REFERENCE} = ${phase}`, ...conditions]
}

/**
 * Returns the range of links that have expired, but for which the payments API has not reported it yet. They are few: each is read soon
 * after its expiry. Their index is not in the order of the list; without an instant or a reference no other index is read.
 */
function unconfirmed({ reference, list: { conditions }, now }: Asked): Range {
  const over = [sql<SqlBool>`payment_phase is null`, sql<SqlBool>`expired = 0`, sql<SqlBool>`expires_at <= ${now}`]
  const wanted = reference === undefined ? [] : [sql<SqlBool>`${unindexed(sql`reference`)} = ${reference}`]
  return [...over, ...wanted, ...conditions]
}

/** Reads with one statement, and so from one snapshot. */
async function snapshot(db: Db, id: string): ReturnType<LinkStore['snapshot']> {
  const row = await db
    .selectFrom('links')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .leftJoin('payments', 'payments.id', 'links.payment_id')
    .selectAll('links')
    .select(['log_head.position as head', 'payments.state_json'])
    .where('links.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    link: toLink(row),
    payment: row.state_json === null ? null : toPayment(row.state_json),
    head: row.head,
  }
}
