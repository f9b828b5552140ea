import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import { toPayin } from '../rows/command-rows.ts'
import type { Db } from '../unit.ts'

/** Returns the direct payins of these payments. */
export async function payinsOf(db: Db, paymentIds: readonly string[]): Promise<DirectPayin[]> {
  if (paymentIds.length === 0) return []
  const rows = await db.selectFrom('payins').selectAll().where('payment_id', 'in', paymentIds).execute()
  return rows.map(toPayin)
}
