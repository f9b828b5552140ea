import type { Payment } from '../../domain/payment.ts'
import type { Db } from '../unit.ts'
import { noLaterThan } from './plan-read.ts'

/**
 * Counts a delivery for its payment and for the link of that payment, so that an answer to a read that was under way can
 * be told from one that knows of it; with `confirm`, a read is due now.
 */
export async function countDelivery(
  db: Db,
  payment: Payment,
  { confirm, at }: { confirm: boolean; at: Date },
): Promise<void> {
  await db
    .updateTable('payments')
    .set((eb) => ({
      deliveries: eb('deliveries', '+', 1),
      ...(confirm ? noLaterThan({ at: at.getTime(), readClass: 'doubt' }) : {}),
    }))
    .where('id', '=', payment.id)
    .execute()
  if (payment.linkRef === null) return
  await db
    .updateTable('links')
    .set((eb) => ({ deliveries: eb('deliveries', '+', 1) }))
    .where('ref', '=', payment.linkRef)
    .execute()
}
