import { withoutNulls } from '../../filters.ts'
import type { QueryResolvers } from '../../generated.ts'
import { connection, pageSize, pageStart } from '../../paging.ts'

export const paymentLinks: QueryResolvers['paymentLinks'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const before = pageStart(cursors, 'links', args.after)
  const rows = await store.links.page({ limit: size + 1, before }, withoutNulls(args.filter))
  return connection(
    { rows, numberOf: (row) => row.number, size, after: args.after },
    { encode: (number) => cursors.encode('links', number), node: ({ row: link }) => ({ link }) },
  )
}
