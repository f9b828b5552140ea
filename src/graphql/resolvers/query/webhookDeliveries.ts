import { withoutNulls } from '../../filters.ts'
import type { QueryResolvers } from '../../generated.ts'
import { connection, pageSize, pageStart } from '../../paging.ts'

export const webhookDeliveries: QueryResolvers['webhookDeliveries'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const before = pageStart(cursors, 'deliveries', args.after)
  const rows = await store.inbox.page({ limit: size + 1, before }, withoutNulls(args.filter))
  return connection(
    { rows, numberOf: (delivery) => delivery.number, size, after: args.after },
    { encode: (number) => cursors.encode('deliveries', number), node: (delivery) => delivery },
  )
}
