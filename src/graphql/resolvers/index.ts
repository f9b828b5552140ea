import type { Resolvers } from '../generated.ts'
import { accountsResolvers } from './accounts.ts'
import { agreementsResolvers } from './agreements.ts'
import { customersResolvers } from './customers.ts'
import { eventsResolvers } from './events.ts'
import { gatewayPaymentsResolvers } from './gateway-payments.ts'
import { linksResolvers } from './links.ts'
import { methodsResolvers } from './methods.ts'
import { nodesResolvers } from './nodes.ts'
import { operationsResolvers } from './operations.ts'
import { paymentsResolvers, refundsResolvers } from './payments.ts'
import { payoutsResolvers } from './payouts.ts'
import { reconciliationResolvers } from './reconciliation.ts'
import { webhookDeliveriesResolvers } from './webhook-deliveries.ts'

/** All resolvers, by type name. Each area has the types, and the fields of the root types, that are about it. */
export const resolvers: Resolvers = {
  ...accountsResolvers,
  ...agreementsResolvers,
  ...customersResolvers,
  ...eventsResolvers,
  ...gatewayPaymentsResolvers,
  ...linksResolvers,
  ...methodsResolvers,
  ...nodesResolvers,
  ...operationsResolvers,
  ...paymentsResolvers,
  ...payoutsResolvers,
  ...reconciliationResolvers,
  ...refundsResolvers,
  ...webhookDeliveriesResolvers,
  Query: {
    ...accountsResolvers.Query,
    ...agreementsResolvers.Query,
    ...customersResolvers.Query,
    ...eventsResolvers.Query,
    ...gatewayPaymentsResolvers.Query,
    ...linksResolvers.Query,
    ...methodsResolvers.Query,
    ...nodesResolvers.Query,
    ...operationsResolvers.Query,
    ...paymentsResolvers.Query,
    ...payoutsResolvers.Query,
    ...reconciliationResolvers.Query,
    ...webhookDeliveriesResolvers.Query,
  },
  Mutation: {
    ...accountsResolvers.Mutation,
    ...agreementsResolvers.Mutation,
    ...customersResolvers.Mutation,
    ...gatewayPaymentsResolvers.Mutation,
    ...linksResolvers.Mutation,
    ...operationsResolvers.Mutation,
    ...paymentsResolvers.Mutation,
    ...payoutsResolvers.Mutation,
    ...reconciliationResolvers.Mutation,
    ...refundsResolvers.Mutation,
    ...webhookDeliveriesResolvers.Mutation,
  },
  Subscription: {
    ...agreementsResolvers.Subscription,
    ...customersResolvers.Subscription,
    ...eventsResolvers.Subscription,
    ...gatewayPaymentsResolvers.Subscription,
    ...linksResolvers.Subscription,
    ...paymentsResolvers.Subscription,
    ...payoutsResolvers.Subscription,
  },
}
