import { sql, type SqlBool } from 'kysely'
import { PAYOUT_STATUSES, type PayoutPayee, type PayoutStatus } from '../../domain/payouts/payout-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { Db } from '../decide.ts'
import { PAYOUT_PAYEES, toPayout } from '../rows/payout-rows.ts'
import type { PageQuery, Placed } from '../store.ts'
import type { PayoutFilter, PayoutStore } from '../subject-stores.ts'
import { lookUp, mergeRanges, type Range, newestFirst, unindexed } from './newest-first.ts'

/** Creates the queries of payouts and their payees. `lists` reads outside the event loop where the database can. */
export function createPayoutStore(reader: Db, lists: Db): PayoutStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('payout_records').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toPayout(row.state_json)),
    payees: (ids) => payeesOf(reader, ids),
    sites: (ids) => sitesOf(reader, ids),
    page: (page, filter) => pageOfPayouts(lists, page, filter),
    snapshot: (id) => snapshot(reader, id),
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

async function sitesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('payouts').select(['id', 'site']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, site }) => [id, site]))
}

/** Null for an unknown status. */
const STATUSES = [...PAYOUT_STATUSES, null] as const

/** The columns of equal values that an index has before the status, the most selective first. */
const COLUMNS = [
  ['reference', 'reference'],
  ['methodCode', 'method_code'],
  ['currency', 'currency'],
  ['site', 'site'],
] as const

/**
 * Returns a page, with one index for any filter: it contains the payouts with one value of a column and one status in the order of the
 * list. What else is asked for is checked on its rows: they nearly always have it, since a method has one currency, and a site few.
 */
async function pageOfPayouts(db: Db, { limit, before }: PageQuery, filter: PayoutFilter): Promise<Placed<Payout>[]> {
  const statuses: readonly (PayoutStatus | null)[] = filter.statuses ?? STATUSES
  if (statuses.length === 0) return []
  const asked = { from: filter.createdFrom, until: filter.createdBefore, before }
  const { order, conditions, placed } = newestFirst('payout_records', 'created_at', asked)
  const equal = COLUMNS.flatMap(([name, column]) => {
    const value = filter[name]
    return value === undefined ? [] : [{ column: sql.ref(column), value }]
  })
  const [first, ...others] = equal
  const indexed = first === undefined ? [] : [sql<SqlBool>`${first.column} = ${first.value}`]
  const checked = others.map(({ column, value }) => sql<SqlBool>`${unindexed(column)} = ${value}`)
  const isShown = sql<SqlBool>`currency is not null and amount is not null`
  const column = first === undefined ? unindexed(sql.ref('status')) : sql.ref('status')
  const ofStatus = (status: PayoutStatus | null): Range => [
    ...indexed,
    status === null ? sql`${column} is null` : sql`${column} = ${status}`,
    ...conditions,
    ...checked,
    isShown,
  ]
  const rows = await mergeRanges([...new Set(statuses)].map(ofStatus), {
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

/** Reads with one statement, and so from one snapshot. */
async function snapshot(db: Db, id: string): ReturnType<PayoutStore['snapshot']> {
  const row = await db
    .selectFrom('payout_records')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'payout_records.state_json'])
    .where('payout_records.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { payout: toPayout(row.state_json), head: row.head }
}
