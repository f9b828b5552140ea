import { sql, type SqlBool, type Expression, type RawBuilder } from 'kysely'
import type { AgreementPayer } from '../../domain/agreements/agreement-report.ts'
import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import { PAYMENT_PHASES, type PaymentPhase, type Payer } from '../../domain/payments/payment-report.ts'
import type { DuplicatePayment, Payment } from '../../domain/payments/payment.ts'
import { readByIds, type RowCache } from '../committed-rows.ts'
import type { Db } from '../group-commit.ts'
import { AGREEMENT_PAYERS } from '../rows/agreement-rows.ts'
import { toPayin, REFUND_REQUESTS, type RefundRequestRow } from '../rows/command-rows.ts'
import { DUPLICATE_PAYMENTS } from '../rows/order-rows.ts'
import { toLinkOrNull, toPayment, toLink, PAYMENT_PAYERS } from '../rows/payment-rows.ts'
import type { PageQuery, PaymentFilter, PaymentStore, Placed, LinkFilter, LinkStore } from '../store.ts'
import { lookUp, mergeRanges, type Range, newestFirst, unindexed, type NewestFirst } from './newest-first.ts'
import { inLowerCase, type SearchDialect, searchPayments } from './payment-search.ts'

type PaymentStoreParts = {
  readonly reader: Db
  /** Reads outside the event loop where the database can. */
  readonly lists: Db
  readonly cache: RowCache<Payment> | null
  readonly search: SearchDialect
}

/** Creates the queries of payments and their payers. */
export function createPaymentStore({ reader, lists, cache, search }: PaymentStoreParts): PaymentStore {
  return {
    ...readByIds(paymentsByIds(reader), cache),
    payers: (paymentIds) => payersOfPayments(reader, paymentIds),
    refundRequests: (commandIds) => refundRequestsOf(reader, commandIds),
    duplicates: (paymentIds) => duplicatesOf(reader, paymentIds),
    payins: (paymentIds) => payinsOf(reader, paymentIds),
    page: (page, filter) => pageOfPayments({ lists, search }, page, filter),
    snapshot: (id) => paymentSnapshot(reader, id),
    search: (asked) => searchPayments(lists, search, asked),
  }
}

function paymentsByIds(db: Db): (ids: readonly string[]) => Promise<Payment[]> {
  const read = lookUp(db, (ids) => db.selectFrom('payments').select('state_json').where('id', 'in', ids))
  return async (ids) => (await read(ids)).map((row) => toPayment(row.state_json))
}

/**
 * Returns a page, with one index for any filter: it contains the payments of each phase (and reference) in the order of the list. Without
 * phases in the filter, the ranges of all phases are merged.
 */
async function pageOfPayments(
  { lists: db, search: { byBytes } }: Pick<PaymentStoreParts, 'lists' | 'search'>,
  { limit, before }: PageQuery,
  { reference, updatedFrom, updatedBefore, phases = PAYMENT_PHASES, duplicate }: PaymentFilter,
): Promise<Placed<Payment>[]> {
  if (phases.length === 0) return []
  const asked = { from: updatedFrom, until: updatedBefore, before }
  const { order, conditions, placed } = newestFirst('payments', 'updated_at', asked)
  const rows = await mergeRanges(
    rangesOf([...new Set(phases)], reference, duplicate, byBytes).map((range) => range.concat(conditions)),
    {
      order,
      limit,
      rowsWhere: (condition, end) =>
        db
          .selectFrom('payments')
          .select(['number', 'updated_at as at', 'state_json'])
          .where(condition)
          .modifyEnd(end)
          .execute(),
    },
  )
  return rows.map((row) => placed(row, toPayment(row.state_json)))
}

/**
 * Returns the ranges of a filter: one per phase, or that of the open duplicates, which are few. A reference is in its own column, or in
 * `other_reference` if the link or payin has another one. The first payment with a reference is a range by itself.
 */
function rangesOf(
  phases: readonly PaymentPhase[],
  reference: string | undefined,
  duplicate: boolean | undefined,
  byBytes: SearchDialect['byBytes'],
): Range[] {
  // Literals, because with parameters the planner would not use the partial indexes.
  const listed = sql<SqlBool>`amount_known = 1`
  const ofPhases = sql<SqlBool>`${unindexed(sql`phase`)} in (${sql.join(phases)})`
  if (duplicate === true) {
    const ofReference = sql<SqlBool>`${reference ?? null} in (reference, other_reference)`
    return [[listed, sql`duplicate = 1`, ofPhases, ...(reference === undefined ? [] : [ofReference])]]
  }
  const others = duplicate === false ? [sql<SqlBool>`duplicate = 0`] : []
  if (reference === undefined) return phases.map((phase) => [listed, sql`phase = ${phase}`, ...others])
  const first = [
    sql<SqlBool>`reference is not null`,
    sql<SqlBool>`${inLowerCase(sql`reference`, byBytes)} = ${inLowerCase(sql`${reference}`, byBytes)}`,
    sql<SqlBool>`reference_repeats = 0`,
    sql<SqlBool>`${unindexed(sql`reference`)} = ${reference}`,
  ]
  const later = phases.flatMap((phase) => {
    const ofPhase = sql<SqlBool>`${unindexed(sql`phase`)} = ${phase}`
    return [
      [listed, sql<SqlBool>`reference = ${reference}`, sql<SqlBool>`reference_repeats = 1`, ofPhase, ...others],
      [listed, sql<SqlBool>`other_reference = ${reference}`, ofPhase, ...others],
    ]
  })
  return [[listed, ...first, ofPhases, ...others], ...later]
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
  return rows.map(toPayin)
}

/** Returns the refund requests of commands, by command id. */
async function refundRequestsOf(db: Db, ids: readonly string[]): Promise<Map<string, RefundRequestRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('refund_requests').selectAll().where('command_id', 'in', ids).execute()
  return new Map(rows.map(REFUND_REQUESTS.fromRow).map((request) => [request.commandId, request]))
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
    page: (page, filter) => pageOfLinks(lists, page, { ...filter, now: now().getTime() }),
    snapshot: (id) => linkSnapshot(reader, id),
  }
}

function linksBy(db: Db, column: 'id' | 'ref'): (values: readonly string[]) => Promise<PaymentLink[]> {
  const read = lookUp(db, (values) => db.selectFrom('links').selectAll().where(column, 'in', values))
  return async (values) => (await read(values)).map(toLink)
}

/** The expression of the indexes: the phase of the payment; without one OPEN, or EXPIRED once the payments API has reported it. */
const PHASE = sql<PaymentPhase | 'OPEN'>`(coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END))`
const PHASE_OF_REFERENCE = sql`(coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END) || '')`

type Asked = { readonly reference: string | undefined; readonly list: NewestFirst; readonly now: number }

/**
 * Returns a page from one index: it contains the links of each phase (and reference) in the order of the list. Only links that have
 * expired, but for which the payments API has not reported it yet, are looked up by their expiry.
 */
async function pageOfLinks(
  db: Db,
  { limit, before }: PageQuery,
  { reference, createdFrom, createdBefore, phases = PAYMENT_PHASES, now }: LinkFilter & { readonly now: number },
): Promise<Placed<PaymentLink>[]> {
  if (phases.length === 0) return []
  const list = newestFirst('links', 'created_at', { from: createdFrom, until: createdBefore, before })
  const asked = { reference, list, now }
  const open = phases.includes('IN_PROGRESS')
  const over = phases.includes('EXPIRED')
  const ranges = [...new Set(phases)].map((phase) => inPhase(phase, asked))
  if (open) ranges.push([...inPhase('OPEN', asked), ...(over ? [] : [sql<SqlBool>`expires_at > ${now}`])])
  if (over && !open) ranges.push(unconfirmed(asked))
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    links(db).where(condition).modifyEnd(end).execute()
  const rows = await mergeRanges(ranges, { order: list.order, limit, rowsWhere })
  return rows.map((row) => list.placed(row, toLink(row)))
}

function links(db: Db) {
  return db.selectFrom('links').selectAll().select('created_at as at')
}

function inPhase(phase: PaymentPhase | 'OPEN', { reference, list: { conditions } }: Asked): Range {
  return reference === undefined
    ? [sql`${PHASE} = ${phase}`, ...conditions]
    : [sql`reference = ${reference}`, sql`${PHASE_OF_REFERENCE} = ${phase}`, ...conditions]
}

/**
 * Returns the range of links that have expired, but for which the payments API has not reported it yet. They are few: each is read soon
 * after its expiry. Their index is not in the order of the list; no other index is read, whatever the planner estimates: between two
 * instants are more links than have just expired.
 */
function unconfirmed({ reference, list: { checked }, now }: Asked): Range {
  const over = [sql<SqlBool>`payment_phase is null`, sql<SqlBool>`expired = 0`, sql<SqlBool>`expires_at <= ${now}`]
  const wanted = reference === undefined ? [] : [sql<SqlBool>`${unindexed(sql`reference`)} = ${reference}`]
  return [...over, ...wanted, ...checked]
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
