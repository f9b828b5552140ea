import { pageSize } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const unansweredGatewayPayments: QueryResolvers['unansweredGatewayPayments'] = (
  _root,
  { first, requestedFrom },
  { store },
) => store.commands.unansweredGatewayCreations({ limit: pageSize(first), from: requestedFrom?.getTime() ?? 0 })
