import { hashesOf } from '../../../commands/erase-payer.ts'
import { connection, pageSize, pageStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const payerErasures: QueryResolvers['payerErasures'] = async (_root, args, { keys, store, cursors }) => {
  const size = pageSize(args.first)
  const start = pageStart(cursors, 'erasures', args.after)
  const filter = args.of == null ? {} : { valueHashes: hashesOf(keys, args.of) }
  const before = start === null ? null : { number: start }
  const rows = await store.erasures.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, size, after: args.after },
    { cursor: (erasure) => cursors.encode('erasures', erasure.number), node: (erasure) => erasure },
  )
}
