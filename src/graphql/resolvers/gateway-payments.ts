import { filteredList, pageSize, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { GatewayPaymentStatus } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import { keyHolder, demandScopes } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { failureResult } from '../views/views.ts'

export const gatewayPaymentsResolvers = {
  Query: {
    gatewayPayment: (_root, { id }, { loaders }) => loaders.gatewayPaymentById.load(id),
    gatewayPayments: (_root, args, context) =>
      filteredList('gateway-payments', args, context, {
        store: context.store.gatewayPayments,
        show: context.loaders.gatewayPaymentById.of,
      }),
    unansweredGatewayPayments: (_root, { first }, { store }) =>
      store.commands.unansweredGatewayCreations(pageSize(first)),
  },
  Mutation: {
    createGatewayPayment: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.createGatewayPayment(input, keyHolder(caller))
      return outcome.kind === 'done'
        ? { __typename: 'CreateGatewayPaymentSuccess', ...outcome.result, replayed: outcome.replayed }
        : failureResult(outcome)
    },
    settleGatewayPaymentCreation: async (
      _root,
      { input: { operationId, outcome, paymentId = null } },
      { operations },
    ) => {
      const result = await operations.settleGatewayCreation({
        operationId,
        isCreated: outcome === 'CREATED',
        paymentId,
      })
      return result.kind === 'done'
        ? { __typename: 'SettleGatewayPaymentCreationSuccess', operationId, outcome, paymentId }
        : failureResult(result)
    },
  },
  Subscription: {
    gatewayPaymentUpdates: {
      subscribe: async (_root, args, context) => {
        const snapshot = await context.store.gatewayPayments.snapshot(args.id)
        return followOf('gatewayPaymentUpdates', { of: 'gatewayPayment', snapshot }, args, context)
      },
    },
  },
  GatewayPaymentConnection: countedPage,
  GatewayPayment: {
    nodeId: ({ id }) => nodeIdOf('GatewayPayment', id),
    status: ({ status }) => (status === null ? 'UNRECOGNISED' : (status.toUpperCase() as GatewayPaymentStatus)),
    amount: ({ amount, currency }) => ({ value: amount, currency }),
    events: ({ id }, args, context) => eventPage({ gatewayPaymentIds: [id] }, args, context),
    __resolveReference({ id }, { caller, loaders }) {
      demandScopes(caller, 'GatewayPayment', [['payments:read']])
      return loaders.gatewayPaymentById.load(id)
    },
  },
  GatewayPaymentCreation: {
    amount: ({ amount, currency }) => ({ value: amount, currency }),
  },
  CreateGatewayPaymentSuccess: {
    payment: ({ paymentId }, _args, { loaders }) => loaders.gatewayPaymentById.load(paymentId),
  },
} satisfies AreaResolvers
