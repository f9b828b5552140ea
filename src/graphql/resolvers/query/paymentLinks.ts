import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, placeStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentLinks: QueryResolvers['paymentLinks'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const filter = withoutNulls(args.filter)
  const byInstant = filter.createdFrom !== undefined || filter.createdBefore !== undefined
  const before = placeStart(cursors, 'links', { after: args.after, byInstant })
  const rows = await store.links.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, size, after: args.after },
    { cursor: (place) => cursors.encodePlace('links', place), node: ({ row }) => row },
  )
}
