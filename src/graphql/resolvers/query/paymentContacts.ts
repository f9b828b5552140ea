import { daySpan } from '../../arguments/day-span.ts'
import { failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentContacts: QueryResolvers['paymentContacts'] = async (_root, args, { operations }) => {
  const list = await operations.contacts({ ...daySpan(args), currency: args.currency ?? null })
  if (list.kind !== 'done') throw failedRead(list)
  const { nodes, totalPages, totalCount } = list.page
  return { nodes: [...nodes], page: args.page, totalPages, totalCount }
}
