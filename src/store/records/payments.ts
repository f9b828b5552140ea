import type { PaymentPhase } from '../../domain/payment-status.ts'
import { PAYMENT_PHASES } from '../../domain/payment-status.ts'
import type { Payment } from '../../domain/payment.ts'
import type { Page, PaymentFilter, PaymentStore, Placed } from '../store.ts'
import type { Db } from '../unit.ts'
import { toLinkOrNull } from './link-records.ts'
import { mergeRanges } from './merge-ranges.ts'
import { newestFirst } from './newest-first.ts'
import { payinsOf } from './payin-records.ts'
import { payersOf, toPayment } from './payment-records.ts'

/** The payments as their events have made them, and who pays. `lists` reads beside the event loop where it can. */
export function createPaymentStore(reader: Db, lists: Db): PaymentStore {
  return {
    byIds: (ids) => paymentsByIds(reader, ids),
    payers: (paymentIds) => payersOf(reader, paymentIds),
    payins: (paymentIds) => payinsOf(reader, paymentIds),
    page: (page, filter) => pageOfPayments(lists, page, filter),
    snapshot: (id) => snapshot(reader, id),
  }
}

async function paymentsByIds(db: Db, ids: readonly string[]): Promise<Payment[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('payments').select('state_json').where('id', 'in', ids).execute()
  return rows.map((row) => toPayment(row.state_json))
}

/** Where a payment has its reference: in its own column, or in that of its link's or payin's where that is another one. */
const REFERENCES = ['reference', 'other_reference'] as const

/**
 * A page from one index, whatever is asked for: each holds the payments of one phase, and of one reference, in the order of the
 * list. Without a phase all of them are merged.
 */
async function pageOfPayments(
  db: Db,
  { limit, before }: Page,
  { reference, updatedFrom, updatedBefore, phases = PAYMENT_PHASES }: PaymentFilter,
): Promise<Placed<Payment>[]> {
  if (phases.length === 0) return []
  const { order, conditions, placeOf } = newestFirst('updated_at', { from: updatedFrom, until: updatedBefore, before })
  const ofPhase = (phase: PaymentPhase) =>
    db
      .selectFrom('payments')
      .select(['number', 'updated_at as at', 'state_json'])
      // Written out, since a parameter would hide from the planner that the index holds no others.
      .where((eb) => eb('amount_known', '=', eb.lit(1)))
      .where('phase', '=', phase)
      .where((eb) => eb.and(conditions()))
  const ranges = [...new Set(phases)].flatMap((phase) =>
    reference === undefined
      ? [ofPhase(phase)]
      : REFERENCES.map((column) => ofPhase(phase).where(column, '=', reference)),
  )
  const rows = await mergeRanges(ranges, order, limit)
  return rows.map((row) => ({ ...placeOf(row), row: toPayment(row.state_json) }))
}

/** One statement, and so one moment. */
async function snapshot(db: Db, id: string): ReturnType<PaymentStore['snapshot']> {
  const row = await db
    .selectFrom('payments')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .leftJoin('links', 'links.ref', 'payments.link_ref')
    .selectAll('links')
    .select(['log_head.position as head', 'payments.state_json'])
    .where('payments.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  return { payment: toPayment(row.state_json), link: toLinkOrNull(row), head: row.head }
}
