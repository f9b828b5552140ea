import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { FailureCategory } from '../../domain/payments/failures/failure-codes.ts'
import {
  AMOUNTS,
  COUNTS,
  decimalOf,
  TIMES,
  PAID_WITHIN_SECONDS,
  type StatisticsGroup,
  SUMS,
} from '../../domain/statistics/payment-statistics.ts'
import type { Db, GroupCommit, Transaction } from '../group-commit.ts'
import { PAYMENTS } from '../rows/payment-rows.ts'
import { GROUP_COLUMNS, PAYMENT_STATISTICS, STATISTICS_UNITS, statisticsOf } from '../rows/statistics-rows.ts'
import type { StoredRow } from '../rows/table.ts'
import type { PaymentStatisticsRow, StatisticsQuery, StatisticsStore } from '../statistics-store.ts'

/** Creates the queries of the statistics of payments, and their rebuild. */
export function createStatisticsStore(lists: Db, exclusively: GroupCommit['exclusively']): StatisticsStore {
  return {
    read: (query) => readStatistics(lists, query),
    rebuild: () => exclusively(rebuild),
  }
}

/** Whole days are read as days and the hours at both ends as hours, so that few rows are read of a long time. */
async function readStatistics(db: Db, { from, to, interval, by, riskAs, limit, ...asked }: StatisticsQuery) {
  const groups = [...new Set(by)].map((name) => [GROUP_COLUMNS[name], groupedBy(name, riskAs)] as const)
  const start = interval === null ? sql`NULL` : startOf(interval)
  const keys = [...(interval === null ? [] : [start]), ...groups.map(([, value]) => value)]
  // Amounts of different currencies are never added up.
  const amounts = asked.sums && by.includes('currency') ? AMOUNTS : []
  const sums = [...COUNTS, ...amounts, ...(asked.times ? TIMES : [])].map(
    (name) => sql`CAST(SUM(${sql.ref(name)}) AS TEXT) AS ${sql.ref(name)}`,
  )
  const { rows } = await sql<StoredRow>`
    SELECT ${sql.join([sql`${start} AS start_at`, ...groups.map(([name, value]) => sql`${value} AS ${sql.ref(name)}`), ...sums])}
    FROM payment_statistics WHERE payments <> 0 AND ${within(from, to, interval)}
    ${keys.length === 0 ? sql`` : sql`GROUP BY ${sql.join(keys)}`} LIMIT ${limit}`.execute(db)
  return rows.filter((row) => row['payments'] !== null).map((row) => toStatistics(row))
}

function groupedBy(name: keyof StatisticsGroup, riskAs: FailureCategory): RawBuilder<unknown> {
  const column = sql.ref(GROUP_COLUMNS[name])
  const risk = sql`CASE WHEN ${column} = 'RISK' THEN ${sql.lit(riskAs)} ELSE ${column} END`
  return name === 'failureCategory' && riskAs !== 'RISK' ? risk : column
}

function startOf(interval: keyof typeof STATISTICS_UNITS): RawBuilder<unknown> {
  const length = sql.lit(STATISTICS_UNITS[interval])
  return sql`start_at - start_at % ${length}`
}

function within(from: number | null, to: number | null, interval: StatisticsQuery['interval']): RawBuilder<unknown> {
  const { HOUR, DAY } = STATISTICS_UNITS
  const first = from === null ? null : Math.floor(from / HOUR) * HOUR
  const last = to === null ? null : Math.ceil(to / HOUR) * HOUR
  if (interval === 'HOUR') return unitWithin('HOUR', first, last)
  const firstDay = first === null ? null : Math.ceil(first / DAY) * DAY
  const lastDay = last === null ? null : Math.floor(last / DAY) * DAY
  if (firstDay !== null && lastDay !== null && firstDay > lastDay) return unitWithin('HOUR', first, last)
  const parts = [unitWithin('DAY', firstDay, lastDay)]
  if (first !== firstDay) parts.push(unitWithin('HOUR', first, firstDay))
  if (last !== lastDay) parts.push(unitWithin('HOUR', lastDay, last))
  return sql`(${sql.join(parts, sql` OR `)})`
}

function unitWithin(unit: string, from: number | null, to: number | null): RawBuilder<unknown> {
  const bounds = [
    sql`unit = ${sql.lit(unit)}`,
    ...(from === null ? [] : [sql`start_at >= ${sql.lit(from)}`]),
    ...(to === null ? [] : [sql`start_at < ${sql.lit(to)}`]),
  ]
  return sql`(${sql.join(bounds, sql` AND `)})`
}

function toStatistics(row: StoredRow): PaymentStatisticsRow {
  const number = (name: string) => Number(row[name] ?? 0)
  const group = Object.entries(GROUP_COLUMNS).flatMap(([name, column]) => (column in row ? [[name, row[column]]] : []))
  const sum = (name: string) => decimalOf(BigInt(row[`${name}_units`] ?? 0), BigInt(row[`${name}_millionths`] ?? 0))
  return {
    start: row['start_at'] === null ? null : number('start_at'),
    group: Object.fromEntries(group) as PaymentStatisticsRow['group'],
    payments: number('payments'),
    paid: number('paid_payments'),
    unpaid: number('unpaid_payments'),
    duplicates: number('duplicates'),
    needingAttention: number('needing_attention'),
    sums: Object.fromEntries(SUMS.map((name) => [name, sum(name)])) as PaymentStatisticsRow['sums'],
    paidTimes: [...PAID_WITHIN_SECONDS.map((seconds) => number(`paid_within_${seconds}`)), number('paid_later')],
  }
}

/** Payments that are counted at once. */
const AT_ONCE = 1_000

/** Counts all payments anew, in one transaction, for which other writes wait: about three seconds for 100,000 payments. */
async function rebuild({ db, store }: Pick<Transaction, 'db' | 'store'>): Promise<number> {
  let counted = 0
  await db.deleteFrom('payment_statistics').execute()
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom('payments')
      .selectAll()
      .where('number', '>', after)
      .orderBy('number')
      .limit(AT_ONCE)
      .execute()
    const inserted = statisticsOf(rows.map((row) => ({ before: null, after: PAYMENTS.fromRow(row) })))
    if (inserted.length > 0) await store([{ spec: PAYMENT_STATISTICS, inserted, updated: [], deleted: [] }])
    counted += rows.length
    const last = rows.at(-1)
    if (last === undefined) return counted
    after = last.number
    // Requests are served in between.
    await setImmediate()
  }
}
