import { defaultFieldResolver, type GraphQLResolveInfo } from 'graphql'
import { refundsOf } from '../../domain/payments/payment-report.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { Context } from '../context.ts'
import type { ResolversParentTypes } from '../generated.ts'
import { NODE_FIELDS, parseNodeId } from '../node-id.ts'
import type { AreaResolvers } from './area-resolvers.ts'
import { refundId } from './payments.ts'

export const nodesResolvers = {
  Query: {
    paymentsNode: async (_root, { nodeId, statusToken }, context, info) => {
      const { type, id } = parseNodeId(nodeId)
      const read = (by: string) => readAs(NODE_FIELDS[type], { id: by, statusToken }, context, info)
      const found = type === 'Refund' ? await refundOf(id, read) : await read(id)
      return found === null ? null : { __typename: type, ...found }
    },
  },
} satisfies AreaResolvers

type Node = ResolversParentTypes['PaymentsNode']

/** Calls the resolver of a root field, with the scopes that the schema demands for it. */
async function readAs(
  field: string,
  args: { readonly id: string; readonly statusToken: string | null | undefined },
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Node | null> {
  const { resolve = defaultFieldResolver } = info.schema.getQueryType()?.getFields()[field] ?? {}
  return (await resolve(undefined, args, context, info)) as Node | null
}

/** Reads the payment of a refund, whose id begins with that of the payment. */
async function refundOf(id: string, readPayment: (id: string) => Promise<Node | null>): Promise<Node | null> {
  const payment = (await readPayment(id.slice(0, Math.max(0, id.lastIndexOf('-'))))) as Payment | null
  if (payment === null) return null
  const refund = refundsOf(payment).find((one) => refundId({ refund: one, payment }) === id)
  return refund === undefined ? null : { refund, payment }
}
