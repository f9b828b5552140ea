import { sql } from 'kysely'
import type { Payer } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { Db } from '../unit.ts'
import { fromIso } from './instants.ts'
import { type Poll, replacePoll } from './plan-read.ts'

/** Reads a payment out of its column. */
export function toPayment(stateJson: string): Payment {
  return JSON.parse(stateJson) as Payment
}

/** The payment with this upstream uuid, as this transaction sees it. */
export async function findPayment(db: Db, id: string): Promise<Payment | null> {
  const row = await db.selectFrom('payments').select('state_json').where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toPayment(row.state_json)
}

/**
 * Writes a payment as it is now. `namedLinkId` is the link that the latest report names; null keeps what was known.
 * `plan` replaces the poll that was planned; a read that is due already, or is to be tried again sooner, stays.
 */
export async function savePayment(
  db: Db,
  payment: Payment,
  namedLinkId: string | null,
  plan: Poll | null = null,
): Promise<void> {
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
      other_reference: otherReference(payment),
      id: payment.id,
      stream_id: payment.streamId,
      created_at: state.updated_at,
      confirmed_at: state.updated_at,
      named_link_id: namedLinkId,
      read_due_at: plan?.poll ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...state,
        other_reference: sql`excluded.other_reference`,
        named_link_id: sql`coalesce(excluded.named_link_id, payments.named_link_id)`,
        ...(plan === null ? {} : { read_due_at: replacePoll('payments', plan) }),
      }),
    )
    .execute()
}

/** The reference that the link or the payin was made with, where the payment itself carries another one or none. */
function otherReference({ id, linkRef, details: { reference } }: Payment) {
  return sql<string | null>`nullif(
    coalesce(
      (select links.reference from links where links.ref = ${linkRef}),
      (select payins.reference from payins where payins.payment_id = ${id})
    ),
    ${reference}
  )`
}

/**
 * Notes that the service has just told what is true of a payment. It counts like a delivery: an older answer that is still
 * under way, to another process even, comes too late from now on.
 */
export async function confirmPayment(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('payments')
    .set((eb) => ({ confirmed_at: at.getTime(), deliveries: eb('deliveries', '+', 1) }))
    .where('id', '=', id)
    .execute()
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
