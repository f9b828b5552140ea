import { eventPage } from '../arguments/event-page.ts'
import type { GatewayPaymentResolvers, GatewayPaymentStatus } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'
import { demandScopes } from '../rights/demand-scopes.ts'

export const GatewayPayment: GatewayPaymentResolvers = {
  nodeId: ({ id }) => nodeIdOf('GatewayPayment', id),
  status: ({ status }) => (status === null ? 'UNRECOGNISED' : (status.toUpperCase() as GatewayPaymentStatus)),
  amount: ({ amount, currency }) => (amount === null || currency === null ? null : { value: amount, currency }),
  events: ({ id }, args, context) => eventPage({ gatewayPaymentIds: [id] }, args, context),
  __resolveReference({ id }, { caller, loaders }) {
    demandScopes(caller, 'GatewayPayment', [['payments:read']])
    return loaders.gatewayPaymentById.load(id)
  },
}
