import { type Selectable, sql } from 'kysely'
import type { DirectPayin } from '../../domain/direct-payin.ts'
import type { PayinsTable } from '../tables.ts'
import type { Db } from '../unit.ts'
import { fromIso, toIso } from './instants.ts'

/** The direct payins of these payments. */
export async function payinsOf(db: Db, paymentIds: readonly string[]): Promise<DirectPayin[]> {
  if (paymentIds.length === 0) return []
  const rows = await db.selectFrom('payins').selectAll().where('payment_id', 'in', paymentIds).execute()
  return rows.map(toPayin)
}

/** The direct payin of this payment, or the one with this correlator, as this transaction sees it. */
export async function findPayin(db: Db, by: { paymentId: string } | { ref: string }): Promise<DirectPayin | null> {
  const payins = db.selectFrom('payins').selectAll()
  const chosen = 'ref' in by ? payins.where('ref', '=', by.ref) : payins.where('payment_id', '=', by.paymentId)
  const row = await chosen.executeTakeFirst()
  return row === undefined ? null : toPayin(row)
}

/** Writes a direct payin; its payment must be on record, and is found by the payin's reference from then on. */
export async function insertPayin(db: Db, payin: DirectPayin): Promise<void> {
  await db
    .insertInto('payins')
    .values({
      payment_id: payin.paymentId,
      ref: payin.ref,
      site: payin.site,
      owner_id: payin.ownerId,
      reference: payin.reference,
      requested_value: payin.requestedAmount.value,
      requested_currency: payin.requestedAmount.currency,
      method_code: payin.methodCode,
      created_at: fromIso(payin.createdAt),
    })
    .execute()
  await db
    .updateTable('payments')
    .set({ other_reference: sql<string | null>`nullif(${payin.reference}, coalesce(reference, ''))` })
    .where('id', '=', payin.paymentId)
    .execute()
}

function toPayin(row: Selectable<PayinsTable>): DirectPayin {
  return {
    paymentId: row.payment_id,
    ref: row.ref,
    site: row.site,
    ownerId: row.owner_id,
    reference: row.reference,
    requestedAmount: { value: row.requested_value, currency: row.requested_currency },
    methodCode: row.method_code,
    createdAt: toIso(row.created_at),
  }
}
