import { defaultFieldResolver, type GraphQLResolveInfo } from 'graphql'
import type { Payment } from '../../domain/payments/payment.ts'
import { NODE_FIELDS, type NodeType, parseNodeId } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import type { ResolversParentTypes, Resolvers } from '../generated.ts'
import type { AreaResolvers } from '../models.ts'
import { demandScopes } from '../rights/rights.ts'
import type { PayoutView } from '../views/views.ts'
import { accountsResolvers } from './accounts.ts'
import { agreementsResolvers } from './agreements.ts'
import { customersResolvers } from './customers.ts'
import { eventsResolvers } from './events.ts'
import { gatewayPaymentsResolvers } from './gateway-payments.ts'
import { linksResolvers } from './links.ts'
import { methodsResolvers } from './methods.ts'
import { operationsResolvers, reconciliationResolvers, webhookDeliveriesResolvers } from './operations.ts'
import { paymentIdOf, paymentsResolvers, refundIn, refundsResolvers } from './payments.ts'
import { payoutsResolvers } from './payouts.ts'
import { statisticsResolvers } from './statistics.ts'

const nodesResolvers = {
  Query: {
    paymentsNode: async (_root, { nodeId, statusToken }, context, info) => {
      const { type, id } = parseNodeId(nodeId)
      const read = (by: string) => readAs(NODE_FIELDS[type], { id: by, code: by, statusToken }, context, info)
      const found = await (PARTS[type]?.(id, read, context) ?? read(id))
      return found === null ? null : { __typename: type, ...found }
    },
  },
} satisfies AreaResolvers

type Node = ResolversParentTypes['PaymentsNode']
type Read = (id: string) => Promise<Node | null>

/** The types that no root field reads by an id alone. */
const PARTS: { readonly [Type in NodeType]?: (id: string, read: Read, context: Context) => Promise<Node | null> } = {
  PaymentRefund: async (id, read) => {
    const payment = (await read(paymentIdOf(id))) as Payment | null
    return payment && refundIn(payment, id)
  },
  PayoutTransaction: async (id, read) => {
    const [payoutId = '', transactionId] = id.split('/')
    const payout = (await read(payoutId)) as PayoutView | null
    return payout?.transactions.find((one) => one.id === transactionId) ?? null
  },
  PaymentContact: async (id, _read, { caller, loaders }) => {
    demandScopes(caller, 'Query.paymentContact', [['customers:read']])
    return loaders.contactById.load(id)
  },
}

/** Calls the resolver of a root field, with the scopes that the schema demands for it. */
async function readAs(
  field: string,
  args: { readonly id: string; readonly code: string; readonly statusToken: string | null | undefined },
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Node | null> {
  const { resolve = defaultFieldResolver } = info.schema.getQueryType()?.getFields()[field] ?? {}
  return (await resolve(undefined, args, context, info)) as Node | null
}

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
  ...statisticsResolvers,
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
    ...statisticsResolvers.Query,
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
    ...statisticsResolvers.Mutation,
    ...webhookDeliveriesResolvers.Mutation,
  },
  Subscription: {
    ...agreementsResolvers.Subscription,
    ...eventsResolvers.Subscription,
    ...gatewayPaymentsResolvers.Subscription,
    ...linksResolvers.Subscription,
    ...paymentsResolvers.Subscription,
    ...payoutsResolvers.Subscription,
  },
}
