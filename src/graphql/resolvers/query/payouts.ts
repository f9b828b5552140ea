import { badArgument, failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'
import { payoutView } from '../../views/payout-view.ts'

/** The payments API returns payouts of at most one year per call (gap sheet, section 19). */
const LONGEST_SPAN_MS = 366 * 24 * 3_600_000
const DAY_MS = 24 * 3_600_000

export const payouts: QueryResolvers['payouts'] = async (_root, args, { operations }) => {
  const from = new Date(args.from)
  const lastDay = new Date(args.to)
  if (lastDay < from) throw badArgument('to', 'must not lie before from')
  if (lastDay.getTime() - from.getTime() > LONGEST_SPAN_MS) throw badArgument('to', 'must lie within a year of from')
  if (args.page < 1) throw badArgument('page', 'must be at least 1')
  // `to` is inclusive: up to the last second of that day.
  const to = new Date(lastDay.getTime() + DAY_MS - 1_000)
  const list = await operations.payouts({ from, to, page: args.page, currency: args.currency ?? null })
  if (list.kind !== 'done') throw failedRead(list)
  const { payouts: found, page, totalPages, totalCount } = list.page
  const nodes = found.map(({ payout, currencies }) => payoutView(payout, currencies)).filter((view) => view !== null)
  return { nodes, page, totalPages, totalCount }
}
