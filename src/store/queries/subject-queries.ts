import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { AGREEMENT_STATUSES, type AgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { GatewayPayment, GatewayPaymentStatus } from '../../domain/gateway/gateway-payment.ts'
import { PAYMENT_STATUSES } from '../../domain/payments/payment-report.ts'
import { PAYOUT_STATUSES, type PayoutPayee, type PayoutStatus } from '../../domain/payouts/payout-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { Db } from '../group-commit.ts'
import { toAgreement } from '../rows/agreement-rows.ts'
import { toGatewayPayment } from '../rows/gateway-payment-rows.ts'
import { PAYOUT_PAYEES, toPayout } from '../rows/payout-rows.ts'
import type { PageQuery, Placed } from '../store.ts'
import type {
  AgreementFilter,
  AgreementStore,
  PayoutFilter,
  PayoutStore,
  GatewayPaymentFilter,
  GatewayPaymentStore,
} from '../subject-stores.ts'
import { lookUp, mergeRanges, type Range, newestFirst, unindexed } from './newest-first.ts'
import { payersOfAgreements } from './payment-queries.ts'

/** Creates the queries of agreements and their payers. `lists` reads outside the event loop where the database can. */
export function createAgreementStore(reader: Db, lists: Db): AgreementStore {
  return {
    byIds: agreementsBy(reader, 'id'),
    byClientTransactionIds: agreementsBy(reader, 'client_transaction_id'),
    payers: (ids) => payersOfAgreements(reader, ids),
    page: (page, filter) => pageOfAgreements(lists, page, filter),
    snapshot: (id) => agreementSnapshot(reader, id),
  }
}

function agreementsBy(
  db: Db,
  column: 'id' | 'client_transaction_id',
): (values: readonly string[]) => Promise<Agreement[]> {
  const read = lookUp(db, (values) => db.selectFrom('agreements').select('state_json').where(column, 'in', values))
  return async (values) => (await read(values)).map((row) => toAgreement(row.state_json))
}

/** Null for an unknown status. */
const ANY_AGREEMENT_STATUS = [...AGREEMENT_STATUSES, null] as const

/** Returns a page, with one index for any filter: it contains the agreements of each status in the order of the list. */
async function pageOfAgreements(
  db: Db,
  { limit, before }: PageQuery,
  {
    statuses = ANY_AGREEMENT_STATUS,
    createdFrom,
    createdBefore,
  }: Omit<AgreementFilter, 'statuses'> & {
    readonly statuses?: readonly (AgreementStatus | null)[]
  },
): Promise<Placed<Agreement>[]> {
  if (statuses.length === 0) return []
  const asked = { from: createdFrom, until: createdBefore, before }
  const { order, conditions, placed } = newestFirst('agreements', 'created_at', asked)
  const ofStatus = (status: AgreementStatus | null): Range => [
    status === null ? sql`status is null` : sql`status = ${status}`,
  ]
  const rows = await mergeRanges(
    [...new Set(statuses)].map((status) => ofStatus(status).concat(conditions)),
    {
      order,
      limit,
      rowsWhere: (condition, end) =>
        db
          .selectFrom('agreements')
          .select(['number', 'created_at as at', 'state_json'])
          .where(condition)
          .modifyEnd(end)
          .execute(),
    },
  )
  return rows.map((row) => placed(row, toAgreement(row.state_json)))
}

/** Reads with one statement, and so from one snapshot. */
async function agreementSnapshot(db: Db, id: string): ReturnType<AgreementStore['snapshot']> {
  const row = await db
    .selectFrom('agreements')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'agreements.state_json'])
    .where('agreements.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { agreement: toAgreement(row.state_json), head: row.head }
}

/** Creates the queries of payouts and their payees. `lists` reads outside the event loop where the database can. */
export function createPayoutStore(reader: Db, lists: Db): PayoutStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('payout_records').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toPayout(row.state_json)),
    payees: (ids) => payeesOf(reader, ids),
    page: (page, filter) => pageOfPayouts(lists, page, filter),
    snapshot: (id) => payoutSnapshot(reader, id),
  }
}

async function payeesOf(db: Db, ids: readonly string[]): Promise<Map<string, readonly PayoutPayee[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payout_payees')
    .selectAll()
    .where('payout_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(PAYOUT_PAYEES.fromRow).map(({ id, payees }) => [id, payees]))
}

/** Null for an unknown status. */
const ANY_PAYOUT_STATUS = [...PAYOUT_STATUSES, null] as const

/** The columns of equal values that an index has before the status, the most selective first. */
const COLUMNS = [
  ['reference', 'reference'],
  ['methodCode', 'method_code'],
  ['currency', 'currency'],
  ['site', 'site'],
] as const

/**
 * Returns a page, with one index for any filter: it contains the payouts with one value of a column and one status in the order of the
 * list. A reference beside other conditions has an index of its own. Of others, those after the first are checked on its rows: they nearly
 * always meet them, since a method has one currency, and a site few.
 */
async function pageOfPayouts(db: Db, { limit, before }: PageQuery, filter: PayoutFilter): Promise<Placed<Payout>[]> {
  const statuses: readonly (PayoutStatus | null)[] = filter.statuses ?? ANY_PAYOUT_STATUS
  if (statuses.length === 0) return []
  const asked = { from: filter.createdFrom, until: filter.createdBefore, before }
  const { order, conditions, placed } = newestFirst('payout_records', 'created_at', asked)
  const { column, ranges, checked } = await payoutRanges(db, filter)
  const isShown = sql<SqlBool>`currency is not null and amount is not null`
  const ofStatus = (range: Range, status: PayoutStatus | null): Range => [
    ...range,
    status === null ? sql`${column} is null` : sql`${column} = ${status}`,
    ...conditions,
    ...checked,
    isShown,
  ]
  const all = ranges.flatMap((range) => [...new Set(statuses)].map((status) => ofStatus(range, status)))
  const rows = await mergeRanges(all, {
    order,
    limit,
    rowsWhere: (condition, end) =>
      db
        .selectFrom('payout_records')
        .select(['number', 'created_at as at', 'state_json'])
        .where(condition)
        .modifyEnd(end)
        .execute(),
  })
  return rows.map((row) => placed(row, toPayout(row.state_json)))
}

type PayoutRanges = {
  /** The status as the index has it. */
  readonly column: RawBuilder<unknown>
  /** Each has the payouts of one status adjacent in an index. */
  readonly ranges: readonly Range[]
  /** What is checked on the rows. */
  readonly checked: Range
}

async function payoutRanges(db: Db, filter: PayoutFilter): Promise<PayoutRanges> {
  const equal = COLUMNS.flatMap(([name, column]) => {
    const value = filter[name]
    return value === undefined ? [] : [{ column: sql.ref(column), value }]
  })
  const [first, ...others] = equal
  if (first === undefined) return { column: unindexed(sql.ref('status')), ranges: [[]], checked: [] }
  const column = sql.ref('status')
  if (filter.reference !== undefined && others.length > 0)
    return { column, ranges: await groupRanges(db, filter.reference, filter), checked: [] }
  return {
    column,
    ranges: [[sql`${first.column} = ${first.value}`]],
    checked: others.map(({ column: other, value }) => sql<SqlBool>`${unindexed(other)} = ${value}`),
  }
}

/** Method, currency and site of a payout as one text, in which the index has them. None of them contains a space. */
const GROUP = sql<string>`(coalesce(method_code, '') || ' ' || coalesce(currency, '') || ' ' || site)`

/** Returns a range for each group of payouts with a reference whose method, currency and site are those of the filter. */
async function groupRanges(db: Db, reference: string, filter: PayoutFilter): Promise<Range[]> {
  const ofReference = sql<SqlBool>`${unindexed(sql.ref('reference'))} = ${reference} and reference is not null`
  const next = (condition: RawBuilder<SqlBool>) =>
    sql`(select ${GROUP} from payout_records where ${condition} order by ${GROUP} limit 1)`
  // One search in the index for each group, of which a reference has few.
  const { rows } = await sql<{ name: string }>`with recursive named(name) as (
    select ${next(ofReference)}
    union all
    select ${next(sql<SqlBool>`${ofReference} and ${GROUP} > named.name`)} from named where named.name is not null
  ) select name from named where name is not null`.execute(db)
  const isAsked = (group: string): boolean => {
    const [methodCode, currency, ...site] = group.split(' ')
    return (
      [undefined, methodCode].includes(filter.methodCode) &&
      [undefined, currency].includes(filter.currency) &&
      [undefined, site.join(' ')].includes(filter.site)
    )
  }
  const groups = rows.map(({ name }) => name).filter(isAsked)
  return groups.map((group) => [ofReference, sql<SqlBool>`${GROUP} = ${group}`])
}

/** Reads with one statement, and so from one snapshot. */
async function payoutSnapshot(db: Db, id: string): ReturnType<PayoutStore['snapshot']> {
  const row = await db
    .selectFrom('payout_records')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'payout_records.state_json'])
    .where('payout_records.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { payout: toPayout(row.state_json), head: row.head }
}

/** Creates the queries of gateway payments. `lists` reads outside the event loop where the database can. */
export function createGatewayPaymentStore(reader: Db, lists: Db): GatewayPaymentStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('gateway_payments').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toGatewayPayment(row.state_json)),
    page: (page, filter) => pageOf(lists, page, filter),
    snapshot: (id) => gatewayPaymentSnapshot(reader, id),
  }
}

/** Null for a status that is not recognised. */
const ANY_GATEWAY_PAYMENT_STATUS = ['created', ...PAYMENT_STATUSES, null] as const

/** Returns a page from the index of its filter, which contains the payments with one status in the order of the list. */
async function pageOf(
  db: Db,
  { limit, before }: PageQuery,
  {
    statuses = ANY_GATEWAY_PAYMENT_STATUS,
    orderId,
    createdFrom,
    createdBefore,
  }: Omit<GatewayPaymentFilter, 'statuses'> & {
    readonly statuses?: readonly (GatewayPaymentStatus | null)[]
  },
): Promise<Placed<GatewayPayment>[]> {
  if (statuses.length === 0) return []
  const asked = { from: createdFrom, until: createdBefore, before }
  const { order, conditions, placed } = newestFirst('gateway_payments', 'created_at', asked)
  const ofOrder = orderId === undefined ? [] : [sql<SqlBool>`order_id = ${orderId}`]
  const column = orderId === undefined ? unindexed(sql.ref('status')) : sql.ref('status')
  const ofStatus = (status: GatewayPaymentStatus | null): Range => [
    ...ofOrder,
    status === null ? sql`${column} is null` : sql`${column} = ${status}`,
    ...conditions,
  ]
  const rows = await mergeRanges([...new Set(statuses)].map(ofStatus), {
    order,
    limit,
    rowsWhere: (condition, end) =>
      db
        .selectFrom('gateway_payments')
        .select(['number', 'created_at as at', 'state_json'])
        .where(condition)
        .modifyEnd(end)
        .execute(),
  })
  return rows.map((row) => placed(row, toGatewayPayment(row.state_json)))
}

/** Reads with one statement, and so from one snapshot. */
async function gatewayPaymentSnapshot(db: Db, id: string): ReturnType<GatewayPaymentStore['snapshot']> {
  const row = await db
    .selectFrom('gateway_payments')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'gateway_payments.state_json'])
    .where('gateway_payments.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { gatewayPayment: toGatewayPayment(row.state_json), head: row.head }
}
