import { connection, pageSize, pageStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentImports: QueryResolvers['paymentImports'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const start = pageStart(cursors, 'imports', args.after)
  const before = start === null ? null : { number: start }
  const rows = await store.imports.page({ limit: size + 1, before }, args.daily == null ? {} : { daily: args.daily })
  return connection(
    { rows, size, after: args.after },
    { cursor: (row) => cursors.encode('imports', row.number), node: (row) => row },
  )
}
