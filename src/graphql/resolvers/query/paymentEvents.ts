import { eventPage, newestEvents } from '../../arguments/event-page.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import { badArgument } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentEvents: QueryResolvers['paymentEvents'] = (_root, args, context) => {
  const filter = withoutNulls(args.filter)
  const { last, before, after } = args
  if (last === null || last === undefined) {
    if (before !== null && before !== undefined) throw badArgument('before', 'can be used only with last')
    return eventPage(filter, args, context)
  }
  if (after !== null && after !== undefined) throw badArgument('last', 'cannot be combined with after')
  return newestEvents(filter, { last, before }, context)
}
