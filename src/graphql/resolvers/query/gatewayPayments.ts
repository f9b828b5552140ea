import type { GatewayPaymentStatus } from '../../../domain/gateway/gateway-payment.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, placeStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const gatewayPayments: QueryResolvers['gatewayPayments'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const { statuses, ...conditions } = withoutNulls(args.filter)
  const byInstant = conditions.createdFrom !== undefined || conditions.createdBefore !== undefined
  const before = placeStart(cursors, 'gateway-payments', { after: args.after, byInstant })
  const filter = statuses === undefined ? conditions : { ...conditions, statuses: statuses.map(wireStatus) }
  const rows = await store.gatewayPayments.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, size, after: args.after },
    { cursor: (place) => cursors.encodePlace('gateway-payments', place), node: ({ row }) => row },
  )
}

function wireStatus(status: string): GatewayPaymentStatus {
  return status.toLowerCase() as GatewayPaymentStatus
}
