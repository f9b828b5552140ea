import type { Payment } from '../../domain/payment.ts'
import type { Numbered, Page, PaymentFilter, PaymentStore } from '../store.ts'
import type { Db } from '../unit.ts'
import { toLinkOrNull } from './link-records.ts'
import { payinsOf } from './payin-records.ts'
import { payersOf, toPayment } from './payment-records.ts'

/** The payments as their events have made them, and who pays. */
export function createPaymentStore(reader: Db): PaymentStore {
  return {
    byIds: (ids) => paymentsByIds(reader, ids),
    payers: (paymentIds) => payersOf(reader, paymentIds),
    payins: (paymentIds) => payinsOf(reader, paymentIds),
    page: (page, filter) => pageOfPayments(reader, page, filter),
    snapshot: (id) => snapshot(reader, id),
  }
}

async function paymentsByIds(db: Db, ids: readonly string[]): Promise<Payment[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('payments').select('state_json').where('id', 'in', ids).execute()
  return rows.map((row) => toPayment(row.state_json))
}

async function pageOfPayments(
  db: Db,
  { limit, before }: Page,
  { reference, updatedFrom, updatedBefore, phases }: PaymentFilter,
): Promise<Numbered<Payment>[]> {
  if (phases?.length === 0) return []
  let query = db.selectFrom('payments').select(['number', 'state_json']).where('amount_known', '=', 1)
  if (before !== null) query = query.where('number', '<', before)
  if (updatedFrom !== undefined) query = query.where('updated_at', '>=', updatedFrom.getTime())
  if (updatedBefore !== undefined) query = query.where('updated_at', '<', updatedBefore.getTime())
  if (phases !== undefined) query = query.where('phase', 'in', phases)
  if (reference !== undefined) {
    const throughLinks = db.selectFrom('links').select('ref').where('reference', '=', reference)
    const direct = db.selectFrom('payins').select('payment_id').where('reference', '=', reference)
    query = query.where((eb) =>
      eb.or([eb('reference', '=', reference), eb('link_ref', 'in', throughLinks), eb('id', 'in', direct)]),
    )
  }
  const rows = await query.orderBy('number', 'desc').limit(limit).execute()
  return rows.map(({ number, state_json }) => ({ number, row: toPayment(state_json) }))
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
