import type { QueryResolvers } from '../../generated.ts'
import { mayReadLink } from '../../rights/rights.ts'

export const paymentLink: QueryResolvers['paymentLink'] = async (_root, { id, statusToken }, context) => {
  const link = await context.loaders.linkById.load(id)
  return link !== null && mayReadLink(context, link, statusToken) ? { link } : null
}
