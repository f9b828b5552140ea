import { sql, type SqlBool } from 'kysely'
import type { GatewayPayment, GatewayPaymentStatus } from '../../domain/gateway/gateway-payment.ts'
import { PAYMENT_STATUSES } from '../../domain/payments/payment-report.ts'
import type { Db } from '../decide.ts'
import { toGatewayPayment } from '../rows/gateway-payment-rows.ts'
import type { PageQuery, Placed } from '../store.ts'
import type { GatewayPaymentFilter, GatewayPaymentStore } from '../subject-stores.ts'
import { lookUp, mergeRanges, type Range, newestFirst, unindexed } from './newest-first.ts'

/** Creates the queries of gateway payments. `lists` reads outside the event loop where the database can. */
export function createGatewayPaymentStore(reader: Db, lists: Db): GatewayPaymentStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('gateway_payments').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toGatewayPayment(row.state_json)),
    page: (page, filter) => pageOf(lists, page, filter),
    snapshot: (id) => snapshot(reader, id),
  }
}

/** Null for a status that is not recognised. */
const STATUSES = ['created', ...PAYMENT_STATUSES, null] as const

/** Returns a page from the index of its filter, which contains the payments with one status in the order of the list. */
async function pageOf(
  db: Db,
  { limit, before }: PageQuery,
  {
    statuses = STATUSES,
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
async function snapshot(db: Db, id: string): ReturnType<GatewayPaymentStore['snapshot']> {
  const row = await db
    .selectFrom('gateway_payments')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'gateway_payments.state_json'])
    .where('gateway_payments.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { gatewayPayment: toGatewayPayment(row.state_json), head: row.head }
}
