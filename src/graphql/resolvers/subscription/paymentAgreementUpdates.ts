import { notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const paymentAgreementUpdates: SubscriptionResolvers['paymentAgreementUpdates'] = {
  subscribe: async (_root, { id, after }, context) => {
    const snapshot = await context.store.agreements.snapshot(id)
    if (snapshot === null) throw notFound('id')
    const { agreement, head } = snapshot
    return streamSource(
      'paymentAgreementUpdates',
      {
        streamId: agreement.streamId,
        after,
        otherwise: { kind: 'snapshot', link: null, payment: null, agreement, payout: null, gatewayPayment: null, head },
        endsAt: rightEndsAt(context, false),
        payer: null,
      },
      context,
    )
  },
}
