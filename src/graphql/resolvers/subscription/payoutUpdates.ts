import { notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const payoutUpdates: SubscriptionResolvers['payoutUpdates'] = {
  subscribe: async (_root, { id, after }, context) => {
    const snapshot = await context.store.payouts.snapshot(id)
    if (snapshot === null) throw notFound('id')
    const { payout, head } = snapshot
    return streamSource(
      'payoutUpdates',
      {
        streamId: payout.streamId,
        after,
        otherwise: { kind: 'snapshot', link: null, payment: null, agreement: null, payout, gatewayPayment: null, head },
        endsAt: rightEndsAt(context, false),
        payer: null,
      },
      context,
    )
  },
}
