import type { QueryResolvers } from '../../generated.ts'
import { mayReadLink } from '../../rights/rights.ts'
import { whenKnown } from '../../when-known.ts'

export const paymentLink: QueryResolvers['paymentLink'] = (_root, { id, statusToken }, context) =>
  whenKnown(context.loaders.linkById.load(id), (link) =>
    link !== null && mayReadLink(context, link, statusToken) ? link : null,
  )
