import { daySpan } from '../../arguments/day-span.ts'
import { badArgument, failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const balanceHistory: QueryResolvers['balanceHistory'] = async (_root, args, { operations }) => {
  const history = await operations.balanceHistory({ ...daySpan(args), site: args.site ?? null })
  if (history.kind === 'no-account') {
    if (args.site != null) throw badArgument('site', 'must be a site that serves AUD')
    return { nodes: [], page: args.page, totalPages: 0, totalCount: 0 }
  }
  if (history.kind !== 'done') throw failedRead(history)
  const { movements, totalPages, totalCount } = history.page
  return { nodes: [...movements], page: args.page, totalPages, totalCount }
}
