import { type Selectable, sql, type SqlBool } from 'kysely'
import type { PaymentAgreementPayer } from '../../domain/agreements/agreement-report.ts'
import type { ListFilter } from '../../domain/list-filter.ts'
import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import type { PaymentNote } from '../../domain/payments/payment-note.ts'
import type { PaymentPhase, Payer } from '../../domain/payments/payment-report.ts'
import type { DuplicatePayment, Payment } from '../../domain/payments/payment.ts'
import { readByIds, type RowCache } from '../committed-rows.ts'
import type { Db } from '../group-commit.ts'
import type { PaymentStore, LinkStore } from '../port.ts'
import { AGREEMENT_PAYERS } from '../rows/agreement-rows.ts'
import { PAYINS, REFUND_REQUESTS, type RefundRequestRow } from '../rows/command-rows.ts'
import { type LinksTable, toLinkOrNull, toLink } from '../rows/link-rows.ts'
import { PAYMENT_NOTES } from '../rows/note-rows.ts'
import { DUPLICATE_PAYMENTS } from '../rows/order-rows.ts'
import { toPayment, PAYMENT_PAYERS } from '../rows/payment-rows.ts'
import { type List, listStore, withReference } from './lists.ts'
import { lookUp } from './look-up.ts'
import { type PositionFunction, searchPayments } from './payment-search.ts'
import { type Ranges, ROW_NUMBER } from './read-page.ts'

type PaymentStoreParts = {
  readonly reader: Db
  /** Reads outside the event loop where the database can. */
  readonly lists: Db
  readonly cache: RowCache<Payment> | null
  /** Of the search. */
  readonly position: PositionFunction
}

/** Creates the queries of payments and their payers. */
export function createPaymentStore({ reader, lists, cache, position }: PaymentStoreParts): PaymentStore {
  return {
    ...readByIds(paymentsByIds(reader), cache),
    payers: (paymentIds) => payersOfPayments(reader, paymentIds),
    cardTokens: (paymentIds) => cardTokensOf(reader, paymentIds),
    refundRequests: (commandIds) => refundRequestsOf(reader, commandIds),
    ofLinks: (refs) => paymentsOfLinks(reader, refs),
    notes: (paymentIds) => notesOf(reader, paymentIds),
    duplicates: (paymentIds) => duplicatesOf(reader, paymentIds),
    payins: (paymentIds) => payinsOf(reader, paymentIds),
    ...listStore(lists, paymentList),
    snapshot: (id) => paymentSnapshot(reader, id),
    search: (asked) => searchPayments(lists, position, asked),
  }
}

function paymentsByIds(db: Db): (ids: readonly string[]) => Promise<Payment[]> {
  const read = lookUp(db, (ids) => db.selectFrom('payments').select('state_json').where('id', 'in', ids))
  return async (ids) => (await read(ids)).map((row) => toPayment(row.state_json))
}

/** Phases in which a payment does not stay: few payments are in them, and an index has those alone. */
const PASSING: ReadonlySet<PaymentPhase> = new Set(['IN_PROGRESS', 'REFUNDING', 'DISPUTED'])

const paymentList: List<{ readonly state_json: string }, Payment> = {
  table: 'payments',
  columns: sql`state_json`,
  compared: {
    ids: 'id',
    ownerId: 'owner_id',
    methodCode: 'method_code',
    currency: 'currency',
    site: 'read_site',
    statuses: 'status',
    phases: 'phase',
    cardLast4: 'card_last4',
    amount: 'amount',
  },
  few: fewPayments,
  checked: ({ duplicate, reference }) => [
    sql`amount is not null`,
    ...(duplicate === undefined ? [] : [sql<SqlBool>`duplicate = ${duplicate ? 1 : 0}`]),
    ...(reference === undefined ? [] : [sql<SqlBool>`${reference} in (reference, other_reference)`]),
  ],
  toValue: (row) => toPayment(row.state_json),
}

/**
 * Returns the ranges of open duplicates, of a reference, which may also be that of the link or payin, or of passing phases. Conditions of
 * partial indexes are literals, because with parameters no planner would use them.
 */
function fewPayments({ reference, phases, duplicate }: ListFilter): Ranges {
  if (duplicate === true) return [[sql`duplicate = 1`]]
  if (reference !== undefined) return ['reference', 'other_reference'].map((column) => withReference(column, reference))
  if (phases?.every((phase) => PASSING.has(phase)) !== true) return undefined
  return [...new Set(phases)].map((phase) => [sql`phase = ${sql.lit(phase)}`])
}

/** Reads with one statement, and so from one snapshot. */
async function paymentSnapshot(db: Db, id: string): ReturnType<PaymentStore['snapshot']> {
  const row = await db
    .selectFrom('payments')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .leftJoin('links', 'links.ref', 'payments.link_ref')
    .selectAll('links')
    .select(['log_head.position as head', 'payments.state_json'])
    .where('payments.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  return { payment: toPayment(row.state_json), link: toLinkOrNull(row), head: row.head }
}

/** Returns the duplicates, by the id of the later payment. */
async function duplicatesOf(db: Db, paymentIds: readonly string[]): Promise<Map<string, DuplicatePayment>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await db.selectFrom('duplicate_payments').selectAll().where('payment_id', 'in', paymentIds).execute()
  return new Map(rows.map(DUPLICATE_PAYMENTS.fromRow).map((duplicate) => [duplicate.paymentId, duplicate]))
}

/** Returns the direct payins of these payments. */
export async function payinsOf(db: Db, paymentIds: readonly string[]): Promise<DirectPayin[]> {
  if (paymentIds.length === 0) return []
  const rows = await db.selectFrom('payins').selectAll().where('payment_id', 'in', paymentIds).execute()
  return rows.map(PAYINS.fromRow)
}

/** Returns the refund requests of commands, by command id. */
async function refundRequestsOf(db: Db, ids: readonly string[]): Promise<Map<string, RefundRequestRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('refund_requests').selectAll().where('command_id', 'in', ids).execute()
  return new Map(rows.map(REFUND_REQUESTS.fromRow).map((request) => [request.commandId, request]))
}

const MOST_OF_LINK = 20

async function paymentsOfLinks(db: Db, refs: readonly string[]): Promise<Map<string, readonly Payment[]>> {
  const found = await Promise.all(
    refs.map((ref) =>
      db
        .selectFrom('payments')
        .select('state_json')
        .where('link_ref', '=', ref)
        .orderBy(ROW_NUMBER)
        .limit(MOST_OF_LINK)
        .execute(),
    ),
  )
  return new Map(refs.map((ref, index) => [ref, (found[index] ?? []).map((row) => toPayment(row.state_json))]))
}

async function notesOf(db: Db, ids: readonly string[]): Promise<Map<string, readonly PaymentNote[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('payment_notes').selectAll().where('payment_id', 'in', ids).execute()
  const notes = rows.toSorted((a, b) => a.written_at - b.written_at).map(PAYMENT_NOTES.fromRow)
  return Map.groupBy(notes, ({ paymentId }) => paymentId)
}

export type LinkStoreParts = {
  readonly reader: Db
  /** Reads outside the event loop where the database can. */
  readonly lists: Db
  readonly cache: RowCache<PaymentLink> | null
  /** Time for the expiry of links without a payment. */
  readonly now: () => Date
}

/** Creates the queries of links. */
export function createLinkStore({ reader, lists, cache, now }: LinkStoreParts): LinkStore {
  return {
    ...readByIds(linksBy(reader, 'id'), cache),
    byRefs: linksBy(reader, 'ref'),
    ...listStore(lists, linkList(now)),
    snapshot: (id) => linkSnapshot(reader, id),
  }
}

function linksBy(db: Db, column: 'id' | 'ref'): (values: readonly string[]) => Promise<PaymentLink[]> {
  const read = lookUp(db, (values) => db.selectFrom('links').selectAll().where(column, 'in', values))
  return async (values) => (await read(values)).map(toLink)
}

/** A link has the phase of its payment; without one it is in progress until its time is over. */
function linkList(now: () => Date): List<Selectable<LinksTable>, PaymentLink> {
  const own = () => sql`case when expired = 1 or expires_at <= ${now().getTime()} then 'EXPIRED' else 'IN_PROGRESS' end`
  return {
    table: 'links',
    compared: {
      ids: 'id',
      reference: 'reference',
      ownerId: 'owner_id',
      methodCode: 'method_code',
      currency: 'requested_currency',
      site: 'site',
      amount: 'requested_value',
    },
    few: ({ reference }) => (reference === undefined ? undefined : [withReference('reference', reference)]),
    checked: ({ phases }) =>
      phases === undefined ? [] : [sql<SqlBool>`coalesce(payment_phase, ${own()}) in (${sql.join(phases)})`],
    toValue: toLink,
  }
}

/** Reads with one statement, and so from one snapshot. */
async function linkSnapshot(db: Db, id: string): ReturnType<LinkStore['snapshot']> {
  const row = await db
    .selectFrom('links')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .leftJoin('payments', 'payments.id', 'links.payment_id')
    .selectAll('links')
    .select(['log_head.position as head', 'payments.state_json'])
    .where('links.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    link: toLink(row),
    payment: row.state_json === null ? null : toPayment(row.state_json),
    head: row.head,
  }
}

/** Returns the payers that the payments API has reported, by payment id; none that was erased. */
async function payersOfPayments(db: Db, ids: readonly string[]): Promise<Map<string, Payer>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payment_payers')
    .selectAll()
    .where('payment_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(PAYMENT_PAYERS.fromRow).map(({ id, payer }) => [id, payer]))
}

/** Returns the sealed card tokens that are kept, by payment id. */
async function cardTokensOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payment_payers')
    .select(['payment_id', 'card_token'])
    .where('payment_id', 'in', ids)
    .where('card_token', 'is not', null)
    .execute()
  return new Map(rows.map(({ payment_id: id, card_token: token }) => [id, String(token)]))
}

/** Returns the debited payers that the payments API has reported, by agreement id; none that was erased. */
export async function payersOfAgreements(db: Db, ids: readonly string[]): Promise<Map<string, PaymentAgreementPayer>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('agreement_payers')
    .selectAll()
    .where('agreement_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(AGREEMENT_PAYERS.fromRow).map(({ id, payer }) => [id, payer]))
}
