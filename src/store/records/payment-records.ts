import { sql } from 'kysely'
import type { Payer } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { Db } from '../unit.ts'
import { fromIso } from './instants.ts'

/** Reads a payment out of its column. */
export function toPayment(stateJson: string): Payment {
  return JSON.parse(stateJson) as Payment
}

/** The payment with this upstream uuid, as this transaction sees it. */
export async function findPayment(db: Db, id: string): Promise<Payment | null> {
  const row = await db.selectFrom('payments').select('state_json').where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toPayment(row.state_json)
}

/** Writes a payment as it is now. `namedLinkId` is the link that the latest report names; null keeps what was known. */
export async function savePayment(db: Db, payment: Payment, namedLinkId: string | null): Promise<void> {
  const state = {
    link_ref: payment.linkRef,
    state_json: JSON.stringify(payment),
    phase: payment.phase,
    rank: payment.rank,
    amount_known: payment.details.amount !== null && payment.details.currency !== null ? 1 : 0,
    reference: payment.details.reference,
    updated_at: fromIso(payment.updatedAt),
  } as const
  await db
    .insertInto('payments')
    .values({
      ...state,
      id: payment.id,
      stream_id: payment.streamId,
      created_at: state.updated_at,
      confirmed_at: state.updated_at,
      named_link_id: namedLinkId,
    })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ ...state, named_link_id: sql`coalesce(excluded.named_link_id, payments.named_link_id)` }),
    )
    .execute()
}

/** Notes that the service has just told what is true of a payment. */
export async function confirmPayment(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('payments').set({ confirmed_at: at.getTime() }).where('id', '=', id).execute()
}

/** Who pays, as far as the service has told. */
export async function payersOf(db: Db, paymentIds: readonly string[]): Promise<Map<string, Payer>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await db.selectFrom('payment_payers').selectAll().where('payment_id', 'in', paymentIds).execute()
  return new Map(rows.map(({ payment_id, name, email }) => [payment_id, { name, email }]))
}

/** Keeps who pays; what the report leaves out stays as it was. */
export async function savePayer(db: Db, paymentId: string, payer: Payer): Promise<void> {
  if (payer.name === null && payer.email === null) return
  await db
    .insertInto('payment_payers')
    .values({ payment_id: paymentId, name: payer.name, email: payer.email })
    .onConflict((conflict) =>
      conflict.column('payment_id').doUpdateSet({
        name: sql`coalesce(excluded.name, payment_payers.name)`,
        email: sql`coalesce(excluded.email, payment_payers.email)`,
      }),
    )
    .execute()
}
