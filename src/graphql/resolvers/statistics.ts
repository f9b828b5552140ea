import { hasScope } from '../../access/caller.ts'
import { GENERIC_DECLINED } from '../../domain/payments/failures/failure-codes.ts'
import {
  PAID_WITHIN_SECONDS,
  quantileSeconds,
  type StatisticsGroup,
  SUMS,
} from '../../domain/statistics/payment-statistics.ts'
import type { PaymentStatisticsRow } from '../../store/port.ts'
import { badArgument } from '../error-formatter.ts'
import type { PayinStatus, PaymentStatisticsGroup, QueryPaymentStatisticsArgs } from '../generated.ts'
import type { AreaResolvers } from '../models.ts'
import { selectedFields } from '../selected-fields.ts'

/** Rows of an answer. */
const MOST_ROWS = 5_000
/** Longest time that is read by hours, in milliseconds. */
const MOST_HOURS_MS = 14 * 86_400_000

const GROUPS: Readonly<Record<PaymentStatisticsGroup, keyof StatisticsGroup>> = {
  CURRENCY: 'currency',
  SITE: 'site',
  METHOD_KIND: 'methodKind',
  PHASE: 'phase',
  STATUS: 'status',
  FAILURE_CATEGORY: 'failureCategory',
}

export const statisticsResolvers = {
  Query: {
    async paymentStatistics(_root, args, { store, caller, clock }, info) {
      const fields = selectedFields(info)
      const query = {
        ...boundsOf(args, clock()),
        by: (args.by ?? []).map((name) => GROUPS[name]),
        sums: SUMS.some((name) => fields.has(name)),
        times: fields.has('timeToPaid'),
        riskAs: hasScope(caller, 'payments:risk') ? 'RISK' : GENERIC_DECLINED.category,
        limit: MOST_ROWS + 1,
      } as const
      const rows = await store.statistics.read(query)
      if (rows.length > MOST_ROWS)
        throw badArgument('by', `gives more than ${MOST_ROWS} rows: ask for a shorter time or fewer groups`)
      return rows.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0) || b.payments - a.payments)
    },
  },
  Mutation: {
    rebuildPaymentStatistics: async (_root, _args, { store }) => ({ count: await store.statistics.rebuild() }),
  },
  PaymentStatistics: {
    start: ({ start }) => (start === null ? null : new Date(start)),
    currency: ({ group }) => group.currency ?? null,
    site: ({ group }) => group.site ?? null,
    methodKind: ({ group }) => group.methodKind ?? null,
    phase: ({ group }) => group.phase ?? null,
    status: ({ group: { status } }) =>
      status === undefined ? null : ((status ?? 'unrecognised').toUpperCase() as PayinStatus),
    failureCategory: ({ group }) => group.failureCategory ?? null,
    count: ({ payments }) => payments,
    paidCount: ({ paid }) => paid,
    unpaidCount: ({ unpaid }) => unpaid,
    duplicateCount: ({ duplicates }) => duplicates,
    attentionCount: ({ needingAttention }) => needingAttention,
    amount: (row) => sumOf(row, 'amount'),
    total: (row) => sumOf(row, 'total'),
    paid: (row) => sumOf(row, 'paid'),
    refunded: (row) => sumOf(row, 'refunded'),
    timeToPaid: ({ paidTimes }) => (paidTimes.some((count) => count > 0) ? paidTimes : null),
  },
  PaymentTimeToPaid: {
    count: (times) => times.reduce((sum, count) => sum + count, 0),
    medianSeconds: (times) => quantileSeconds(times, 0.5) ?? 0,
    p90Seconds: (times) => quantileSeconds(times, 0.9) ?? 0,
    ranges: (times) => times.map((count, index) => ({ upToSeconds: PAID_WITHIN_SECONDS[index] ?? null, count })),
  },
} satisfies AreaResolvers

function boundsOf({ from, to, interval }: QueryPaymentStatisticsArgs, now: Date) {
  const bounds = { from: from?.getTime() ?? null, to: to?.getTime() ?? null, interval: interval ?? null }
  if (bounds.from !== null && bounds.to !== null && bounds.from >= bounds.to)
    throw badArgument('to', 'must lie after from')
  if (interval === 'HOUR' && (bounds.from === null || (bounds.to ?? now.getTime()) - bounds.from > MOST_HOURS_MS))
    throw badArgument('from', 'must lie at most 14 days before to, for intervals of an hour')
  return bounds
}

function sumOf({ group: { currency }, sums }: PaymentStatisticsRow, name: (typeof SUMS)[number]) {
  return currency === undefined ? null : { value: sums[name], currency }
}
