import type { QueryResolvers } from '../../generated.ts'

export const payout: QueryResolvers['payout'] = (_root, { id }, { loaders }) => loaders.payoutById.load(id)
