import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, pageStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const webhookDeliveries: QueryResolvers['webhookDeliveries'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const start = pageStart(cursors, 'deliveries', args.after)
  const before = start === null ? null : { number: start }
  const rows = await store.inbox.page({ limit: size + 1, before }, withoutNulls(args.filter))
  return connection(
    { rows, size, after: args.after },
    { cursor: (delivery) => cursors.encode('deliveries', delivery.number), node: (delivery) => delivery },
  )
}
