import { notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { mayReadPayment, onlyByToken, payerOf, rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const paymentUpdates: SubscriptionResolvers['paymentUpdates'] = {
  subscribe: async (_root, { id, statusToken, after }, context) => {
    const snapshot = await context.store.payments.snapshot(id)
    if (snapshot === null || !(await mayReadPayment(context, snapshot.payment, statusToken))) throw notFound('id')
    const owned = snapshot.link ?? (await context.loaders.payinByPayment.load(id))
    return streamSource(
      'paymentUpdates',
      {
        streamId: snapshot.payment.streamId,
        after,
        otherwise: { kind: 'snapshot', ...snapshot, agreement: null, payout: null, gatewayPayment: null },
        endsAt: rightEndsAt(context, onlyByToken(context, owned), statusToken),
        payer: payerOf(context, owned),
      },
      context,
    )
  },
}
