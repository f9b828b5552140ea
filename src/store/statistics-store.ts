import type { FailureCategory } from '../domain/payments/failures/failure-codes.ts'
import type { PaidTimes, StatisticsGroup, SUMS } from '../domain/statistics/payment-statistics.ts'

export type StatisticsQuery = {
  /** Milliseconds since the epoch, rounded outwards to full hours; null for no bound. */
  readonly from: number | null
  readonly to: number | null
  /** Null for one row of the whole time. */
  readonly interval: 'HOUR' | 'DAY' | null
  readonly by: readonly (keyof StatisticsGroup)[]
  /** Whether amounts are added up, and times counted: each makes the read longer. Zero otherwise. */
  readonly sums: boolean
  readonly times: boolean
  /** The category that RISK is counted in. */
  readonly riskAs: FailureCategory
  /** Maximum number of rows. */
  readonly limit: number
}

/** The figures of the payments of an interval and a group. */
export type PaymentStatisticsRow = {
  /** Begin of the interval, in milliseconds since the epoch; null for the whole time. */
  readonly start: number | null
  /** What they are grouped by. */
  readonly group: Partial<StatisticsGroup>
  readonly payments: number
  readonly paid: number
  readonly unpaid: number
  readonly duplicates: number
  readonly needingAttention: number
  /** Exact decimals; zero unless they are asked for and the currency is among the groups. */
  readonly sums: Readonly<Record<(typeof SUMS)[number], string>>
  readonly paidTimes: PaidTimes
}

/** Statistics of payments by when they were created, kept with each change in the same transaction. */
export type StatisticsStore = {
  /** In no order. */
  read(query: StatisticsQuery): Promise<PaymentStatisticsRow[]>
  /** Counts all payments anew; other writes wait. Returns how many payments there are. */
  rebuild(): Promise<number>
}
