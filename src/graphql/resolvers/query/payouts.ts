import { daySpan } from '../../arguments/day-span.ts'
import { failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'
import { payoutView } from '../../views/payout-view.ts'

export const payouts: QueryResolvers['payouts'] = async (_root, args, { operations }) => {
  const list = await operations.payouts({ ...daySpan(args), currency: args.currency ?? null })
  if (list.kind !== 'done') throw failedRead(list)
  const { payouts: found, page, totalPages, totalCount } = list.page
  const nodes = found.map(({ payout, currencies }) => payoutView(payout, currencies)).filter((view) => view !== null)
  return { nodes, page, totalPages, totalCount }
}
