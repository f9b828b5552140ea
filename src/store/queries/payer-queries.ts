import type { AgreementPayer } from '../../domain/agreements/agreement-report.ts'
import type { Payer } from '../../domain/payments/payment-report.ts'
import type { Db } from '../decide.ts'
import { AGREEMENT_PAYERS } from '../rows/agreement-rows.ts'
import { PAYMENT_PAYERS } from '../rows/payment-rows.ts'

/** Returns the payers that the payments API has reported, by payment id; none that was erased. */
export async function payersOfPayments(db: Db, ids: readonly string[]): Promise<Map<string, Payer>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payment_payers')
    .selectAll()
    .where('payment_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(PAYMENT_PAYERS.fromRow).map(({ id, payer }) => [id, payer]))
}

/** Returns the debited payers that the payments API has reported, by agreement id; none that was erased. */
export async function payersOfAgreements(db: Db, ids: readonly string[]): Promise<Map<string, AgreementPayer>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('agreement_payers')
    .selectAll()
    .where('agreement_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(AGREEMENT_PAYERS.fromRow).map(({ id, payer }) => [id, payer]))
}
