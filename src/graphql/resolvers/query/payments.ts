import { withoutNulls } from '../../filters.ts'
import type { QueryResolvers } from '../../generated.ts'
import { connection, pageSize, pageStart } from '../../paging.ts'

export const payments: QueryResolvers['payments'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const before = pageStart(cursors, 'payments', args.after)
  const rows = await store.payments.page({ limit: size + 1, before }, withoutNulls(args.filter))
  return connection(
    { rows, numberOf: (row) => row.number, size, after: args.after },
    { encode: (number) => cursors.encode('payments', number), node: ({ row }) => row },
  )
}
