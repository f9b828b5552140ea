import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, pageStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentEvents: QueryResolvers['paymentEvents'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const start = pageStart(cursors, 'log', args.after) ?? 0
  const rows = await store.log.read(start, size + 1, withoutNulls(args.filter))
  return connection(
    { rows, size, after: args.after },
    { cursor: (event) => cursors.encode('log', event.position), node: (event) => event },
  )
}
