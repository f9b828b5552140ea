import type { DuplicatePayment } from '../../domain/payments/duplicate-payment.ts'
import { DUPLICATE_PAYMENTS } from '../rows/duplicate-rows.ts'
import type { Db } from '../unit.ts'

/** Returns the duplicates, by the id of the later payment. */
export async function duplicatesOf(db: Db, paymentIds: readonly string[]): Promise<Map<string, DuplicatePayment>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await db.selectFrom('duplicate_payments').selectAll().where('payment_id', 'in', paymentIds).execute()
  return new Map(rows.map(DUPLICATE_PAYMENTS.fromRow).map((duplicate) => [duplicate.paymentId, duplicate]))
}
