import { pageSize } from '../../arguments/paging.ts'
import { badArgument } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const unansweredGatewayPayments: QueryResolvers['unansweredGatewayPayments'] = (
  _root,
  { first, requestedFrom, after },
  { store },
) => {
  if (after != null && requestedFrom == null) throw badArgument('after', 'needs requestedFrom')
  const from = requestedFrom?.getTime() ?? 0
  return store.commands.unansweredGatewayCreations({ limit: pageSize(first), from, after: after ?? null })
}
