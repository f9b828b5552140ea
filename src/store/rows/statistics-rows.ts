import { isPickedByCurrency } from '../../domain/reads/read-schedule.ts'
import {
  countedAt,
  type CountedPayment,
  FIGURES,
  figuresOf,
  groupOf,
  type StatisticsGroup,
} from '../../domain/statistics/payment-statistics.ts'
import type { PaymentRow } from './payment-rows.ts'
import type { StoredAs, StoredRow, TableSpec } from './table.ts'

/** Lengths of the intervals by which payments are counted, in milliseconds. */
export const STATISTICS_UNITS = { HOUR: 3_600_000, DAY: 86_400_000 } as const

export type StatisticsUnit = keyof typeof STATISTICS_UNITS

/** Columns of what payments are grouped by. */
export const GROUP_COLUMNS = {
  currency: 'currency',
  site: 'site',
  methodKind: 'method_kind',
  phase: 'phase',
  status: 'status',
  failureCategory: 'failure_category',
} as const satisfies Record<keyof StatisticsGroup, string>

type GroupColumn = (typeof GROUP_COLUMNS)[keyof StatisticsGroup]

/** The figures of the payments of a group that were created in an hour or a day. */
export type PaymentStatisticsTable = {
  id: string
  unit: StatisticsUnit
  start_at: number
} & Record<GroupColumn, string | null> &
  Record<string, string | number | null>

/** Rows are added to what is stored, not looked up: a row has what the changes of a transaction add to its figures. */
export const PAYMENT_STATISTICS: TableSpec<StoredRow, never> = {
  name: 'payment_statistics',
  columns: {
    id: 'text',
    unit: 'text',
    start_at: 'integer',
    ...columns(Object.values(GROUP_COLUMNS), 'text'),
    ...columns(FIGURES, 'integer'),
  },
  summed: FIGURES,
  keyOf: ({ id }) => String(id),
  lookups: {},
  fromRow: (row) => row,
  toRow: (row) => row,
}

function columns(names: readonly string[], type: StoredAs): Record<string, StoredAs> {
  return Object.fromEntries(names.map((name) => [name, type]))
}

/** A payment before and after a change; null where it was or is not recorded. */
export type PaymentRowChange = { readonly before: PaymentRow | null; readonly after: PaymentRow | null }

/** Returns what changes of payments add to the statistics, one row for each group and interval. */
export function statisticsOf(changes: Iterable<PaymentRowChange>): StoredRow[] {
  const sums = new Map<string, { readonly row: StoredRow; readonly figures: number[] }>()
  for (const { before, after } of changes) {
    if (before !== null && after !== null && isCountedAlike(before, after)) continue
    if (before !== null) count(sums, before, -1)
    if (after !== null) count(sums, after, 1)
  }
  return [...sums.values()].flatMap(({ row, figures }) =>
    figures.every((figure) => figure === 0)
      ? []
      : [{ ...row, ...Object.fromEntries(FIGURES.map((name, index) => [name, figures[index] ?? 0])) }],
  )
}

function isCountedAlike(before: PaymentRow, after: PaymentRow): boolean {
  return (
    before.state === after.state &&
    before.duplicate === after.duplicate &&
    before.methodCode === after.methodCode &&
    before.readSite === after.readSite &&
    before.paidAfterMs === after.paidAfterMs
  )
}

function count(
  sums: Map<string, { readonly row: StoredRow; readonly figures: number[] }>,
  payment: PaymentRow,
  sign: 1 | -1,
): void {
  const counted = countedOf(payment)
  const group = groupOf(counted)
  if (group === null) return
  const figures = figuresOf(counted)
  const at = countedAt(counted)
  for (const [unit, length] of Object.entries(STATISTICS_UNITS)) {
    const start = at - (((at % length) + length) % length)
    const id = JSON.stringify([unit, start, ...Object.values(group)])
    const sum = sums.get(id) ?? { row: { id, unit, start_at: start, ...rowOf(group) }, figures: FIGURES.map(() => 0) }
    sums.set(id, sum)
    for (const [index, figure] of figures.entries()) sum.figures[index] = (sum.figures[index] ?? 0) + sign * figure
  }
}

function rowOf(group: StatisticsGroup): StoredRow {
  return Object.fromEntries(
    Object.entries(GROUP_COLUMNS).map(([name, column]) => [column, group[name as keyof StatisticsGroup]]),
  )
}

function countedOf({ state, methodCode, readSite, createdAt, duplicate, paidAfterMs }: PaymentRow): CountedPayment {
  const site = isPickedByCurrency(readSite) ? null : readSite
  return { state, methodCode, site, recordedAt: createdAt, duplicate, paidAfterMs }
}
