import { notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { mayReadLink, onlyByToken, payerOf, rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const paymentLinkUpdates: SubscriptionResolvers['paymentLinkUpdates'] = {
  subscribe: async (_root, { id, statusToken, after }, context) => {
    const snapshot = await context.store.links.snapshot(id)
    if (snapshot === null || !mayReadLink(context, snapshot.link, statusToken)) throw notFound('id')
    return streamSource(
      'paymentLinkUpdates',
      {
        streamId: snapshot.link.streamId,
        after,
        otherwise: { kind: 'snapshot', ...snapshot, agreement: null, payout: null, gatewayPayment: null },
        endsAt: rightEndsAt(context, onlyByToken(context, snapshot.link), statusToken),
        payer: payerOf(context, snapshot.link),
      },
      context,
    )
  },
}
