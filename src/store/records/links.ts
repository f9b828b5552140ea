import type { ExpressionBuilder } from 'kysely'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentPhase } from '../../domain/payment-status.ts'
import type { LinkFilter, LinkStore, Numbered, Page } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Db } from '../unit.ts'
import { toLink } from './link-records.ts'
import { toPayment } from './payment-records.ts'

/** The links, as the payments made through them have left them. `now` tells which links without a payment are over. */
export function createLinkStore(reader: Db, now: () => Date): LinkStore {
  return {
    byIds: (ids) => linksBy(reader, 'id', ids),
    byRefs: (refs) => linksBy(reader, 'ref', refs),
    page: (page, filter) => pageOfLinks(reader, page, { ...filter, now: now().getTime() }),
    snapshot: (id) => snapshot(reader, id),
  }
}

async function linksBy(db: Db, column: 'id' | 'ref', values: readonly string[]): Promise<PaymentLink[]> {
  if (values.length === 0) return []
  const rows = await db.selectFrom('links').selectAll().where(column, 'in', values).execute()
  return rows.map(toLink)
}

async function pageOfLinks(
  db: Db,
  { limit, before }: Page,
  { reference, createdFrom, createdBefore, phases, now }: LinkFilter & { readonly now: number },
): Promise<Numbered<PaymentLink>[]> {
  if (phases?.length === 0) return []
  let query = db.selectFrom('links').selectAll()
  if (before !== null) query = query.where('number', '<', before)
  if (reference !== undefined) query = query.where('reference', '=', reference)
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom.getTime())
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore.getTime())
  if (phases !== undefined) query = query.where((eb) => inPhases(eb, phases, now))
  const rows = await query.orderBy('number', 'desc').limit(limit).execute()
  return rows.map((row) => ({ number: row.number, row: toLink(row) }))
}

/** A link without a payment is under way until its time is over, or the service has said so. */
function inPhases(eb: ExpressionBuilder<Tables, 'links'>, phases: readonly PaymentPhase[], now: number) {
  const unpaid = eb('payment_id', 'is', null)
  const open = eb.and([unpaid, eb('expired', '=', 0), eb('expires_at', '>', now)])
  const over = eb.and([unpaid, eb.or([eb('expired', '=', 1), eb('expires_at', '<=', now)])])
  return eb.or([
    eb('payment_phase', 'in', phases),
    ...(phases.includes('IN_PROGRESS') ? [open] : []),
    ...(phases.includes('EXPIRED') ? [over] : []),
  ])
}

/** One statement, and so one moment. */
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
