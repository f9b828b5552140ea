import { sql } from 'kysely'
import type { AgreementPayer, AgreementReport } from '../../domain/agreement-report.ts'
import type { Agreement } from '../../domain/agreement.ts'
import type { Db } from '../unit.ts'
import { fromIso } from './instants.ts'
import { columnsOf, type Poll, replacePoll } from './plan-read.ts'

/** Reads an agreement out of its column. */
export function toAgreement(stateJson: string): Agreement {
  return JSON.parse(stateJson) as Agreement
}

/** The agreement with this upstream id, as this transaction sees it. */
export async function findAgreement(db: Db, id: string): Promise<Agreement | null> {
  const row = await db.selectFrom('agreements').select('state_json').where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toAgreement(row.state_json)
}

/** The agreement that was made under one of these correlators. */
export async function findAgreementByRefs(db: Db, refs: readonly string[]): Promise<Agreement | null> {
  const row = await db.selectFrom('agreements').select('state_json').where('ref', 'in', refs).executeTakeFirst()
  return row === undefined ? null : toAgreement(row.state_json)
}

/** Whether the clientTransactionId that a report names is another agreement's. */
export async function namesAnothersTransaction(db: Db, { id, clientTransactionId }: AgreementReport): Promise<boolean> {
  if (clientTransactionId === null) return false
  const holder = await db
    .selectFrom('agreements')
    .select('id')
    .where('client_transaction_id', '=', clientTransactionId)
    .executeTakeFirst()
  return holder !== undefined && holder.id !== id
}

/** Writes an agreement as it is now. `plan` replaces the poll that was planned. */
export async function saveAgreement(db: Db, agreement: Agreement, plan: Poll | null = null): Promise<void> {
  const updatedAt = fromIso(agreement.updatedAt)
  const createdAt = agreement.createdAt === null ? null : fromIso(agreement.createdAt)
  const state = {
    service_id: agreement.serviceId,
    client_transaction_id: agreement.clientTransactionId,
    status: agreement.status,
    state_json: JSON.stringify(agreement),
    provisional: agreement.provisional ? 1 : 0,
    updated_at: updatedAt,
  } as const
  await db
    .insertInto('agreements')
    .values({
      ...state,
      id: agreement.id,
      ref: agreement.ref,
      stream_id: agreement.streamId,
      site: agreement.site,
      created_at: createdAt ?? updatedAt,
      ...columnsOf(plan?.next ?? null),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...state,
        ...(createdAt === null ? {} : { created_at: createdAt }),
        ...(plan === null ? {} : replacePoll('agreements', plan)),
      }),
    )
    .execute()
}

/** Who is debited, as far as the service has told. */
export async function agreementPayersOf(db: Db, ids: readonly string[]): Promise<Map<string, AgreementPayer>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agreement_payers').selectAll().where('agreement_id', 'in', ids).execute()
  return new Map(
    rows.map((row) => [
      row.agreement_id,
      {
        name: row.name,
        bsb: row.bsb,
        accountNumberMasked: row.account_number_masked,
        payIdMasked: row.pay_id_masked,
        payIdType: row.pay_id_type,
      },
    ]),
  )
}

/** Keeps who is debited; what the report leaves out stays as it was. */
export async function saveAgreementPayer(db: Db, agreementId: string, payer: AgreementPayer): Promise<void> {
  if (Object.values(payer).every((value) => value === null)) return
  await db
    .insertInto('agreement_payers')
    .values({
      agreement_id: agreementId,
      name: payer.name,
      bsb: payer.bsb,
      account_number_masked: payer.accountNumberMasked,
      pay_id_masked: payer.payIdMasked,
      pay_id_type: payer.payIdType,
    })
    .onConflict((conflict) =>
      conflict.column('agreement_id').doUpdateSet({
        name: sql`coalesce(excluded.name, agreement_payers.name)`,
        bsb: sql`coalesce(excluded.bsb, agreement_payers.bsb)`,
        account_number_masked: sql`coalesce(excluded.account_number_masked, agreement_payers.account_number_masked)`,
        pay_id_masked: sql`coalesce(excluded.pay_id_masked, agreement_payers.pay_id_masked)`,
        pay_id_type: sql`coalesce(excluded.pay_id_type, agreement_payers.pay_id_type)`,
      }),
    )
    .execute()
}
