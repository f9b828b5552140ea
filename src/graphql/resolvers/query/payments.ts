import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, placeStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const payments: QueryResolvers['payments'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const filter = withoutNulls(args.filter)
  const byInstant = filter.updatedFrom !== undefined || filter.updatedBefore !== undefined
  const before = placeStart(cursors, 'payments', { after: args.after, byInstant })
  const rows = await store.payments.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, size, after: args.after },
    { cursor: (place) => cursors.encodePlace('payments', place), node: ({ row }) => row },
  )
}
