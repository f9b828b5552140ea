import type { GatewayPaymentStatus as WireStatus } from '../../domain/gateway/gateway-payment.ts'
import { listOf, pageSize, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import { badArgument } from '../error-formatter.ts'
import type { GatewayPaymentStatus } from '../generated.ts'
import type { AreaResolvers } from '../models.ts'
import { keyHolder, subjectOf, demandScopes } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { failureResult } from '../views/views.ts'

export const gatewayPaymentsResolvers = {
  Query: {
    gatewayPayment: (_root, { id }, { loaders }) => loaders.gatewayPaymentById.load(id),
    gatewayPayments: (_root, args, context) =>
      listOf('gateway-payments', args, context, (page, filter) => context.store.gatewayPayments.page(page, filter)),
    unansweredGatewayPayments: (_root, { first, requestedFrom, after }, { store }) => {
      if (after != null && requestedFrom == null) throw badArgument('after', 'needs requestedFrom')
      const from = requestedFrom?.getTime() ?? 0
      return store.commands.unansweredGatewayCreations({ limit: pageSize(first), from, after: after ?? null })
    },
  },
  Mutation: {
    createGatewayPayment: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.createGatewayPayment(input, keyHolder(caller))
      return outcome.kind === 'done'
        ? { __typename: 'CreateGatewayPaymentSuccess', ...outcome.payment, replayed: outcome.replayed }
        : failureResult(outcome)
    },
    settleGatewayPaymentCreation: async (
      _root,
      { input: { operationId, outcome: found, paymentId } },
      { operations, caller },
    ) => {
      const request = { operationId, isCreated: found === 'CREATED', paymentId: paymentId ?? null }
      const outcome = await operations.settleGatewayCreation(request, subjectOf(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'SettleGatewayPaymentSuccess', payment: outcome.payment }
    },
    settleGatewayPayment: async (_root, { input: { paymentId, version, status } }, { operations, caller }) => {
      const settlement = { version, status: status.toLowerCase() as WireStatus, settledBy: subjectOf(caller) }
      const outcome = await operations.settleGatewayPayment(paymentId, settlement)
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'SettleGatewayPaymentSuccess', payment: outcome.payment }
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
  GatewayPayment: {
    nodeId: ({ id }) => nodeIdOf('GatewayPayment', id),
    status: ({ status }) => (status === null ? 'UNRECOGNISED' : (status.toUpperCase() as GatewayPaymentStatus)),
    amount: ({ amount, currency }) => (amount === null || currency === null ? null : { value: amount, currency }),
    events: ({ id }, args, context) => eventPage({ gatewayPaymentIds: [id] }, args, context),
    __resolveReference({ id }, { caller, loaders }) {
      demandScopes(caller, 'GatewayPayment', [['payments:read']])
      return loaders.gatewayPaymentById.load(id)
    },
  },
  GatewayPaymentCreation: {
    amount: ({ amount, currency }) => (amount === null || currency === null ? null : { value: amount, currency }),
    requestedAt: (creation) => ('requestedAt' in creation ? creation.requestedAt : null),
    payment: (creation, _args, { loaders }) =>
      'paymentId' in creation && creation.paymentId !== null
        ? loaders.gatewayPaymentById.load(creation.paymentId)
        : null,
    settledBy: (creation) => ('settledBy' in creation ? creation.settledBy : null),
  },
  CreateGatewayPaymentSuccess: {
    payment: ({ paymentId }, _args, { loaders }) => loaders.gatewayPaymentById.load(paymentId),
  },
} satisfies AreaResolvers
