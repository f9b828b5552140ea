import type { QueryResolvers } from '../../generated.ts'
import { loadPayout } from '../../load-payout.ts'

export const payout: QueryResolvers['payout'] = (_root, { id }, context) => loadPayout(id, context)
