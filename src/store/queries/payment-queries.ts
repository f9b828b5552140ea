import { sql, type SqlBool } from 'kysely'
import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import { PAYMENT_PHASES, type PaymentPhase } from '../../domain/payments/payment-report.ts'
import type { DuplicatePayment, Payment } from '../../domain/payments/payment.ts'
import { readByIds, type RowCache } from '../committed-rows.ts'
import type { Db } from '../decide.ts'
import { toPayin, REFUND_REQUESTS, type RefundRequestRow } from '../rows/command-rows.ts'
import { toLinkOrNull } from '../rows/link-rows.ts'
import { toPayment, DUPLICATE_PAYMENTS } from '../rows/payment-rows.ts'
import type { PageQuery, PaymentFilter, PaymentStore, Placed } from '../store.ts'
import { lookUp, mergeRanges, type Range, newestFirst, unindexed } from './newest-first.ts'
import { payersOfPayments } from './payer-queries.ts'
import { type SearchDialect, searchPayments } from './payment-search.ts'

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
    page: (page, filter) => pageOfPayments(lists, page, filter),
    snapshot: (id) => snapshot(reader, id),
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
  db: Db,
  { limit, before }: PageQuery,
  { reference, updatedFrom, updatedBefore, phases = PAYMENT_PHASES, duplicate }: PaymentFilter,
): Promise<Placed<Payment>[]> {
  if (phases.length === 0) return []
  const asked = { from: updatedFrom, until: updatedBefore, before }
  const { order, conditions, placed } = newestFirst('payments', 'updated_at', asked)
  const rows = await mergeRanges(
    rangesOf([...new Set(phases)], reference, duplicate).map((range) => range.concat(conditions)),
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
 * `other_reference` if the link or payin has another one.
 */
function rangesOf(
  phases: readonly PaymentPhase[],
  reference: string | undefined,
  duplicate: boolean | undefined,
): Range[] {
  // Literals, because with parameters the planner would not use the partial indexes.
  const listed = sql<SqlBool>`amount_known = 1`
  if (duplicate === true) {
    const ofReference = sql<SqlBool>`${reference ?? null} in (reference, other_reference)`
    const ofPhases = sql<SqlBool>`${unindexed(sql`phase`)} in (${sql.join(phases)})`
    return [[listed, sql`duplicate = 1`, ofPhases, ...(reference === undefined ? [] : [ofReference])]]
  }
  const others = duplicate === false ? [sql<SqlBool>`duplicate = 0`] : []
  return phases.flatMap((phase) => {
    if (reference === undefined) return [[listed, sql`phase = ${phase}`, ...others]]
    const ofPhase = sql<SqlBool>`${unindexed(sql`phase`)} = ${phase}`
    return [
      [listed, sql`reference = ${reference}`, ofPhase, ...others],
      [listed, sql`other_reference = ${reference}`, ofPhase, ...others],
    ]
  })
}

/** Reads with one statement, and so from one snapshot. */
async function snapshot(db: Db, id: string): ReturnType<PaymentStore['snapshot']> {
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
