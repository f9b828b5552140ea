import { sql, type SqlBool } from 'kysely'
import type { Payer } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import { readSiteOf } from '../../domain/read-site.ts'
import { decodePayment, encodePayment } from '../encoding/payment-snapshot.ts'
import type { Db } from '../unit.ts'
import { fromIso } from './instants.ts'
import { columnsOf, type Poll, replacePoll } from './plan-read.ts'

/** Reads a payment out of its column. */
export function toPayment(stateJson: string): Payment {
  return decodePayment(stateJson)
}

/** The payment with this upstream uuid, as this transaction sees it. */
export async function findPayment(db: Db, id: string): Promise<Payment | null> {
  const row = await db.selectFrom('payments').select('state_json').where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toPayment(row.state_json)
}

export type PaymentColumns = {
  /** The link that the latest report names; null keeps what was known. */
  readonly namedLinkId?: string | null
  /** Id of the site of its link or payin; null keeps what was known. */
  readonly site?: string | null
  /** Replaces the poll that was planned; a read that is due already, or is to be tried again sooner, stays. */
  readonly plan?: Poll | null
}

/** Writes a payment as it is now. */
export async function savePayment(
  db: Db,
  payment: Payment,
  { namedLinkId = null, site = null, plan = null }: PaymentColumns = {},
): Promise<void> {
  const state = {
    link_ref: payment.linkRef,
    state_json: encodePayment(payment),
    phase: payment.phase,
    rank: payment.rank,
    amount_known: payment.details.amount !== null && payment.details.currency !== null ? 1 : 0,
    reference: payment.details.reference,
    provisional: payment.provisional ? 1 : 0,
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
      ...columnsOf(plan?.next ?? null),
      read_site: readSiteOf(site, payment.details.currency),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...state,
        other_reference: sql`excluded.other_reference`,
        named_link_id: sql`coalesce(excluded.named_link_id, payments.named_link_id)`,
        read_site: keptSite,
        ...(plan === null ? {} : replacePoll('payments', plan)),
      }),
    )
    .execute()
}

/** A site that is on record stays: only a payment that was picked by its currency gets another. */
const keptSite = sql<string>`case
  when payments.read_site like '*%' then excluded.read_site
  else payments.read_site end`

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
 * Notes that the payments API has just told what is true of a payment. It counts like a delivery: an older answer that is still
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
  const name = sql<string | null>`coalesce(excluded.name, payment_payers.name)`
  const email = sql<string | null>`coalesce(excluded.email, payment_payers.email)`
  await db
    .insertInto('payment_payers')
    .values({ payment_id: paymentId, name: payer.name, email: payer.email })
    .onConflict((conflict) =>
      conflict
        .column('payment_id')
        .doUpdateSet({ name, email })
        // PostgreSQL writes a row anew that is updated to what it is.
        .where(
          sql<SqlBool>`${name} is distinct from payment_payers.name or ${email} is distinct from payment_payers.email`,
        ),
    )
    .execute()
}
