import { notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const gatewayPaymentUpdates: SubscriptionResolvers['gatewayPaymentUpdates'] = {
  subscribe: async (_root, { id, after }, context) => {
    const snapshot = await context.store.gatewayPayments.snapshot(id)
    if (snapshot === null) throw notFound('id')
    const { gatewayPayment, head } = snapshot
    const state = { link: null, payment: null, agreement: null, payout: null, gatewayPayment }
    return streamSource(
      'gatewayPaymentUpdates',
      {
        streamId: gatewayPayment.streamId,
        after,
        otherwise: { kind: 'snapshot', ...state, head },
        endsAt: rightEndsAt(context, false),
        payer: null,
      },
      context,
    )
  },
}
