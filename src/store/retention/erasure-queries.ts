import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../decide.ts'
import type { GroupCommit } from '../group-commit.ts'
import type { AgreementPayersTable } from '../rows/agreement-rows.ts'
import type { PayersTable } from '../rows/payment-rows.ts'
import { PAYOUT_PAYEES, type PayoutPayeesTable } from '../rows/payout-rows.ts'
import { toIso } from '../rows/read-plan-columns.ts'
import type { ErasuresTable } from '../tables.ts'
import {
  type ErasureRequest,
  type ErasureStore,
  type PayerErasure,
  nextSubjects,
  type Subjects,
} from './erasure-subjects.ts'

type ErasureRow = Selectable<ErasuresTable>

/** Creates the part of a store that erases payers. `onDone` is called after an erasure has ended. */
export function createErasureStore(
  reader: Db,
  exclusively: GroupCommit['exclusively'],
  onDone: () => void,
): ErasureStore {
  return {
    begin: (request) => exclusively(async ({ db }) => toErasure(await begin(db, request))),
    step: (number, at) =>
      exclusively(async ({ db }) => {
        const row = await erasureOf(db, number)
        if (row === undefined || row.done_at !== null) return row === undefined ? null : toErasure(row)
        const after = await eraseNext(db, row, at.getTime())
        // Before the commit: what is done about the log of the database is done after it.
        if (after.done_at !== null) onDone()
        return toErasure(after)
      }),
    async running() {
      const rows = await reader.selectFrom('erasures').select('number').where('done_at', 'is', null).execute()
      return rows.map(({ number }) => number).toSorted((a, b) => a - b)
    },
    async page({ limit, before }, { valueHashes }) {
      const all = reader.selectFrom('erasures').selectAll().orderBy('number', 'desc').limit(limit)
      const after = before === null ? all : all.where('number', '<', before.number)
      const rows = await (valueHashes === undefined ? after : after.where('value_hash', 'in', valueHashes)).execute()
      return rows.map(toErasure)
    },
  }
}

async function begin(db: Db, request: ErasureRequest): Promise<ErasureRow> {
  const { kind, value, valueHash, requestedBy, requestedAt } = request
  const running = await db
    .selectFrom('erasures')
    .selectAll()
    .where('kind', '=', kind)
    .where('value', '=', value)
    .where('done_at', 'is', null)
    .executeTakeFirst()
  if (running !== undefined) return running
  return db
    .insertInto('erasures')
    .values({ kind, value, value_hash: valueHash, requested_by: requestedBy, requested_at: requestedAt.getTime() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function erasureOf(db: Db, number: number): Promise<ErasureRow | undefined> {
  return db.selectFrom('erasures').selectAll().where('number', '=', number).executeTakeFirst()
}

async function eraseNext(db: Db, row: ErasureRow, now: number): Promise<ErasureRow> {
  const { kind, value, cursor } = row
  if (value === null) throw new Error('A running erasure has lost its value.')
  const { subjects, next } = await nextSubjects(db, { kind, value, cursor })
  const counts = await erase(db, subjects)
  return db
    .updateTable('erasures')
    .set({
      payments: row.payments + counts.payments,
      agreements: row.agreements + counts.agreements,
      payouts: row.payouts + counts.payouts,
      payers: row.payers + counts.payers,
      cursor: next,
      ...(next === null ? { value: null, done_at: now } : {}),
    })
    .where('number', '=', row.number)
    .returningAll()
    .executeTakeFirstOrThrow()
}

type Counts = Pick<PayerErasure, 'payments' | 'agreements' | 'payouts' | 'payers'>

/** Replaces the payers by rows that mark them as erased. Returns how many were not erased before. */
async function erase(db: Db, { payments, agreements, payouts }: Subjects): Promise<Counts> {
  const ofPayments = await erasePayments(db, payments)
  const ofAgreements = await eraseAgreements(db, agreements)
  const ofPayouts = await erasePayouts(db, payouts)
  return {
    payments: ofPayments.subjects,
    agreements: ofAgreements.subjects,
    payouts: ofPayouts.subjects,
    payers: ofPayments.payers + ofAgreements.payers + ofPayouts.payers,
  }
}

type Erased = { readonly subjects: number; readonly payers: number }
const NONE: Erased = { subjects: 0, payers: 0 }

async function erasePayments(db: Db, ids: readonly string[]): Promise<Erased> {
  if (ids.length === 0) return NONE
  const known = await db.selectFrom('payment_payers').selectAll().where('payment_id', 'in', ids).execute()
  const erased = { name: null, email: null, erased: 1 } satisfies Partial<Insertable<PayersTable>>
  await db
    .insertInto('payment_payers')
    .values(ids.map((id) => ({ payment_id: id, ...erased })))
    .onConflict((conflict) => conflict.column('payment_id').doUpdateSet(erased))
    .execute()
  // The reason of a refund is free text, which may name the payer.
  await db.updateTable('refund_requests').set({ reason: null }).where('payment_id', 'in', ids).execute()
  return countErased(ids, known)
}

async function eraseAgreements(db: Db, ids: readonly string[]): Promise<Erased> {
  if (ids.length === 0) return NONE
  const known = await db.selectFrom('agreement_payers').selectAll().where('agreement_id', 'in', ids).execute()
  const erased = {
    name: null,
    bsb: null,
    account_number_masked: null,
    pay_id_masked: null,
    pay_id_type: null,
    erased: 1,
  } satisfies Partial<Insertable<AgreementPayersTable>>
  await db
    .insertInto('agreement_payers')
    .values(ids.map((id) => ({ agreement_id: id, ...erased })))
    .onConflict((conflict) => conflict.column('agreement_id').doUpdateSet(erased))
    .execute()
  return countErased(ids, known)
}

/** One row has all payees of a payout. */
async function erasePayouts(db: Db, ids: readonly string[]): Promise<Erased> {
  if (ids.length === 0) return NONE
  const known = await db.selectFrom('payout_payees').selectAll().where('payout_id', 'in', ids).execute()
  const erased = { payees_json: null, erased: 1 } satisfies Partial<Insertable<PayoutPayeesTable>>
  await db
    .insertInto('payout_payees')
    .values(ids.map((id) => ({ payout_id: id, ...erased })))
    .onConflict((conflict) => conflict.column('payout_id').doUpdateSet(erased))
    .execute()
  const payees = known.map(PAYOUT_PAYEES.fromRow).reduce((sum, row) => sum + row.payees.length, 0)
  return { ...countErased(ids, known), payers: payees }
}

function countErased(ids: readonly string[], known: readonly { readonly erased: 0 | 1 }[]): Erased {
  const payers = known.filter(({ erased }) => erased === 0).length
  return { subjects: ids.length - known.length + payers, payers }
}

function toErasure(row: ErasureRow): PayerErasure {
  return {
    number: row.number,
    kind: row.kind,
    valueHash: row.value_hash,
    requestedBy: row.requested_by,
    requestedAt: toIso(row.requested_at),
    payments: row.payments,
    agreements: row.agreements,
    payouts: row.payouts,
    payers: row.payers,
    doneAt: row.done_at === null ? null : toIso(row.done_at),
  }
}
