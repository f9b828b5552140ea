import type { Insertable, Selectable } from 'kysely'
import type { Db, GroupCommit } from '../group-commit.ts'
import type { Page, PageQuery } from '../page.ts'
import { newestFirst, oneOf, ROW_NUMBER, unplaced } from '../queries/read-page.ts'
import type { AgreementPayersTable } from '../rows/agreement-rows.ts'
import type { PayersTable } from '../rows/payment-rows.ts'
import { PAYOUT_PAYEES, type PayoutPayeesTable } from '../rows/payout-rows.ts'
import { toIso } from '../rows/table.ts'
import type { ErasuresTable } from '../tables.ts'
import { countErasable, type Erasable, type ErasureTarget, hasEmail } from './erasable.ts'
import type { ErasureKind } from './kinds.ts'

type ErasureRow = Selectable<ErasuresTable>

/** Creates the part of a store that erases payers. `onDone` is called after an erasure has ended. */
export function createErasureStore(
  reader: Db,
  exclusively: GroupCommit['exclusively'],
  onDone: () => void,
): ErasureStore {
  return {
    count: (target) => countErasable(reader, target),
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
    page: async (page, { valueHashes }) => {
      const checked = valueHashes === undefined ? [] : [oneOf('value_hash', valueHashes)]
      return unplaced(await newestFirst(reader, { table: 'erasures', page, checked, toValue: toErasure }))
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
  const erased = { name: null, email: null, card_token: null, erased: 1 } satisfies Partial<Insertable<PayersTable>>
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

/** Ids of what has the payers, or the payees, that are erased. */
export type Subjects = Readonly<Record<'payments' | 'agreements' | 'payouts', readonly string[]>>

const NOTHING: Subjects = { payments: [], agreements: [], payouts: [] }

/** A running erasure. `cursor` is where it continues; null at its start. */
type Running = { readonly kind: ErasureKind; readonly value: string; readonly cursor: string | null }

/** The next subjects. `next` is where the erasure continues after them; null at its end. */
type Slice = { readonly subjects: Subjects; readonly next: string | null }

/** Payments, agreements or payers per transaction, for which other writes wait. */
const ERASED_AT_ONCE = 200

/** Returns the next subjects of an erasure, each kind by an index. */
export async function nextSubjects(db: Db, erasure: Running): Promise<Slice> {
  const { kind, value } = erasure
  switch (kind) {
    case 'PAYMENT':
      return last({ ...NOTHING, payments: [value] })
    case 'AGREEMENT':
      return last({ ...NOTHING, agreements: [value] })
    case 'PAYOUT':
      return last({ ...NOTHING, payouts: [value] })
    case 'LINK': {
      const links = await db.selectFrom('links').select('ref').where('id', '=', value).execute()
      return last({ ...NOTHING, payments: await paymentsThrough(db, links) })
    }
    case 'EMAIL':
      return byEmail(db, value)
    default:
      return byOwner(db, erasure)
  }
}

function last(subjects: Subjects): Slice {
  return { subjects, next: null }
}

async function paymentsThrough(db: Db, links: readonly { readonly ref: string }[]): Promise<string[]> {
  if (links.length === 0) return []
  const refs = links.map(({ ref }) => ref)
  const rows = await db.selectFrom('payments').select('id').where('link_ref', 'in', refs).execute()
  return rows.map(({ id }) => id)
}

/** An erased payer has no e-mail address, so that the next slice begins with those that are left. */
async function byEmail(db: Db, email: string): Promise<Slice> {
  const rows = await db
    .selectFrom('payment_payers')
    .select('payment_id')
    .where(hasEmail(email))
    .limit(ERASED_AT_ONCE)
    .execute()
  const payments = rows.map(({ payment_id: id }) => id)
  return { subjects: { ...NOTHING, payments }, next: rows.length < ERASED_AT_ONCE ? null : EMAILS }
}

const EMAILS = 'emails'

/** First the payments of the owner's links and payins, then the agreements. */
async function byOwner(db: Db, { value: owner, cursor }: Running): Promise<Slice> {
  const [kind, after = ''] = (cursor ?? 'payments:0').split(':')
  const table = kind === 'agreements' ? kind : 'payments'
  const rows = await db
    .selectFrom(table)
    .select(['number', 'id'])
    .where('owner_id', '=', owner)
    .where(ROW_NUMBER, '>', Number(after))
    .orderBy(ROW_NUMBER)
    .limit(ERASED_AT_ONCE)
    .execute()
  const end = rows.length < ERASED_AT_ONCE ? undefined : rows.at(-1)
  const rest = table === 'payments' ? 'agreements:0' : null
  return {
    subjects: { ...NOTHING, [table]: rows.map(({ id }) => id) },
    next: end === undefined ? rest : `${table}:${end.number}`,
  }
}

/** The value is kept until the erasure is done. */
export type ErasureRequest = ErasureTarget & {
  /** Keyed hash of the value, which stays. */
  readonly valueHash: string
  /** Subject of the caller's token; null if it has none. */
  readonly requestedBy: string | null
  readonly requestedAt: Date
}

/** The record of an erasure. It does not contain what was erased. */
export type PayerErasure = {
  readonly number: number
  readonly kind: ErasureKind
  readonly valueHash: string
  readonly requestedBy: string | null
  /** ISO 8601 instant in UTC with milliseconds. */
  readonly requestedAt: string
  /** Payments, agreements and payouts whose payers or payees are erased so far; those of earlier erasures are not counted. */
  readonly payments: number
  readonly agreements: number
  readonly payouts: number
  /** Payers and payees that were on record. */
  readonly payers: number
  /** Null while it is running. */
  readonly doneAt: string | null
}

export type ErasureFilter = { readonly valueHashes?: readonly string[] }

/** Erases payers, in transactions of a few hundred payments, between which others write. */
export type ErasureStore = {
  /** Returns how much an erasure would find now. */
  count(target: ErasureTarget): Promise<Erasable>
  /** Records an erasure. Returns the running one of the same kind and value instead, if there is one. */
  begin(request: ErasureRequest): Promise<PayerErasure>
  /**
   * Erases the next payers of an erasure, and ends it if there are no more. Several processes may call it at the same time. Returns the record; one
   * that is done is returned unchanged. Null if there is no erasure with this number.
   */
  step(number: number, at: Date): Promise<PayerErasure | null>
  /** Returns the numbers of the erasures that are not done, oldest first. */
  running(): Promise<number[]>
  /** Newest first. */
  page(page: PageQuery, filter: ErasureFilter): Promise<Page<PayerErasure>>
}
