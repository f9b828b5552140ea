import { eventPage } from '../../arguments/event-page.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentEvents: QueryResolvers['paymentEvents'] = (_root, args, context) =>
  eventPage(withoutNulls(args.filter), args, context)
