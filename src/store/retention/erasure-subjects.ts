import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../decide.ts'
import { ROW_NUMBER } from '../queries/newest-first.ts'
import type { PageQuery } from '../store.ts'

/** Ids of what has the payers, or the payees, that are erased. */
export type Subjects = Readonly<Record<'payments' | 'agreements' | 'payouts', readonly string[]>>

const NOTHING: Subjects = { payments: [], agreements: [], payouts: [] }

/** A running erasure. `cursor` is where it continues; null at its start. */
type Running = { readonly kind: ErasureKind; readonly value: string; readonly cursor: string | null }

/** The next subjects. `next` is where the erasure continues after them; null at its end. */
type Slice = { readonly subjects: Subjects; readonly next: string | null }

/** Links, payins or payers per transaction, for which other writes wait. */
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
    .where(lowered(sql.ref('email')), 'in', [lowered(email), lowered(email.toUpperCase())])
    .where('email', 'is not', null)
    .limit(ERASED_AT_ONCE)
    .execute()
  const payments = rows.map(({ payment_id: id }) => id)
  return { subjects: { ...NOTHING, payments }, next: rows.length < ERASED_AT_ONCE ? null : EMAILS }
}

/** In both cases, because databases differ in which letters they lower: all, or those of ASCII. */
function lowered(text: string | RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`lower(${text})`
}

const EMAILS = 'emails'
const LINKS = 'links:'
const PAYINS = 'payins:'

/** First the payments through the links of the owner, then those without a link. */
async function byOwner(db: Db, { value: owner, cursor }: Running): Promise<Slice> {
  if (cursor?.startsWith(PAYINS) === true) return payinsOf(db, owner, cursor.slice(PAYINS.length))
  const after = cursor === null ? 0 : Number(cursor.slice(LINKS.length))
  const links = await db
    .selectFrom('links')
    .select(['number', 'ref'])
    .where('owner_id', '=', owner)
    .where(ROW_NUMBER, '>', after)
    .orderBy(ROW_NUMBER)
    .limit(ERASED_AT_ONCE)
    .execute()
  const end = links.length < ERASED_AT_ONCE ? undefined : links.at(-1)
  return {
    subjects: { ...NOTHING, payments: await paymentsThrough(db, links) },
    next: end === undefined ? PAYINS : `${LINKS}${end.number}`,
  }
}

async function payinsOf(db: Db, owner: string, after: string): Promise<Slice> {
  // As an expression, like the index: with the plain column a planner may scan the table in the order of its key.
  const id = sql<string>`(payment_id || '')`
  const rows = await db
    .selectFrom('payins')
    .select('payment_id')
    .where('owner_id', '=', owner)
    .where(id, '>', after)
    .orderBy(id)
    .limit(ERASED_AT_ONCE)
    .execute()
  const payments = rows.map((row) => row.payment_id)
  const end = rows.length < ERASED_AT_ONCE ? undefined : payments.at(-1)
  return { subjects: { ...NOTHING, payments }, next: end === undefined ? null : `${PAYINS}${end}` }
}

/** What payers are found by: the id of a payment, link, agreement or payout, the owner of links and payins, or an e-mail address. */
export type ErasureKind = 'PAYMENT' | 'LINK' | 'AGREEMENT' | 'PAYOUT' | 'OWNER' | 'EMAIL'

export type ErasureRequest = {
  readonly kind: ErasureKind
  /** The id, the owner or the e-mail address. Kept until the erasure is done. */
  readonly value: string
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
  page(page: PageQuery, filter: ErasureFilter): Promise<PayerErasure[]>
}
