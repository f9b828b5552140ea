import type { Context } from '../context.ts'
import type { RefundView } from '../models.ts'
import { nodeIdOf } from '../node-id.ts'
import { keyHolder, mayReadPayment } from '../rights/rights.ts'
import { failureResult, presentable } from '../views/views.ts'
import type { AreaResolvers } from './area-resolvers.ts'

export const refundsResolvers = {
  Mutation: {
    refundPayment: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.refundPayment(input, keyHolder(caller, 'payments:read'))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const { payment, refundExpiresAt, replayed } = outcome
      return { __typename: 'RefundPaymentSuccess', payment, refundExpiresAt, replayed }
    },
    dismissDuplicatePayment: async (_root, { input }, { operations }) => {
      const outcome = await operations.dismissDuplicate(input.paymentId)
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'DismissDuplicatePaymentSuccess', payment: presentable(outcome.payment) }
    },
  },
  Refund: {
    id: refundId,
    nodeId: (view) => nodeIdOf('Refund', refundId(view)),
    state: ({ refund }) => refund.state,
    amount: ({ refund: { amount: value }, payment: { details } }) =>
      value === null || details.currency === null ? null : { value, currency: details.currency },
    requestedHere: ({ refund }) => refund.commandId !== null,
    requestedAt: ({ refund }) => refund.requestedAt,
    settledAt: ({ refund }) => refund.settledAt,
    idempotencyKey: async (view, _args, context) => (await requestOf(view, context))?.idempotencyKey ?? null,
    reason: async (view, _args, context) => (await requestOf(view, context))?.reason ?? null,
  },
  DuplicatePayment: {
    other: async ({ otherId }, _args, context) => {
      const payment = otherId === null ? null : presentable(await context.loaders.paymentById.load(otherId))
      return payment !== null && (await mayReadPayment(context, payment)) ? payment : null
    },
  },
} satisfies AreaResolvers

/** Returns the id of a refund. */
export function refundId({ refund, payment }: RefundView): string {
  return `${payment.id}-${refund.number}`
}

async function requestOf({ refund: { commandId } }: RefundView, { loaders }: Context) {
  return commandId === null ? null : loaders.refundRequest.load(commandId)
}
