import type { Context } from '../context.ts'
import type { RefundResolvers } from '../generated.ts'
import type { RefundView } from '../models.ts'

export const Refund: RefundResolvers = {
  id: ({ refund, payment }) => `${payment.id}-${refund.number}`,
  state: ({ refund }) => refund.state,
  amount: ({ refund: { amount: value }, payment: { details } }) =>
    value === null || details.currency === null ? null : { value, currency: details.currency },
  requestedHere: ({ refund }) => refund.commandId !== null,
  requestedAt: ({ refund }) => refund.requestedAt,
  settledAt: ({ refund }) => refund.settledAt,
  idempotencyKey: async (view, _args, context) => (await requestOf(view, context))?.idempotencyKey ?? null,
  reason: async (view, _args, context) => (await requestOf(view, context))?.reason ?? null,
}

async function requestOf({ refund: { commandId } }: RefundView, { loaders }: Context) {
  return commandId === null ? null : loaders.refundRequest.load(commandId)
}
