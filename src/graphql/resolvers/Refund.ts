import type { Context } from '../context.ts'
import type { RefundResolvers } from '../generated.ts'
import type { RefundView } from '../models.ts'
import { nodeIdOf } from '../node-id.ts'

export const Refund: RefundResolvers = {
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
}

/** Returns the id of a refund. */
export function refundId({ refund, payment }: RefundView): string {
  return `${payment.id}-${refund.number}`
}

async function requestOf({ refund: { commandId } }: RefundView, { loaders }: Context) {
  return commandId === null ? null : loaders.refundRequest.load(commandId)
}
