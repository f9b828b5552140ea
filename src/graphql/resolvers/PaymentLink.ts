import { linkState } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { Context } from '../context.ts'
import type { PaymentLinkResolvers } from '../generated.ts'
import type { LinkView } from '../models.ts'
import { mayReadLink } from '../rights/rights.ts'
import { statusTokenFor } from '../rights/status-token-access.ts'
import { streamEvents } from '../subscriptions/stream-events.ts'
import { presentable } from '../views/presentable.ts'
import { whenKnown } from '../when-known.ts'

export const PaymentLink: PaymentLinkResolvers = {
  id: ({ link }) => link.id,
  reference: ({ link }) => link.reference,
  site: ({ link }) => link.site,
  checkoutUrl: ({ link }) => link.checkoutUrl,
  requestedAmount: ({ link }) => link.requestedAmount,
  description: ({ link }) => link.description,
  method: ({ link }, _args, { loaders }) =>
    link.methodCode === null ? null : loaders.methodByCode.load(link.methodCode),
  createdAt: ({ link }) => link.createdAt,
  expiresAt: ({ link }) => link.expiresAt,
  serverTime: (_view, _args, { clock }) => clock(),
  state: (view, _args, context) =>
    whenKnown(paymentOf(view, context), (payment) => linkState(view.link, payment, context.clock())),
  payment: (view, _args, context) => whenKnown(paymentOf(view, context), presentable),
  events: ({ link }, args, context) => streamEvents(link.streamId, args, context),
  statusToken: ({ link }, _args, { keys }) => statusTokenFor(keys, link.id, link.expiresAt),
  ownerId: ({ link }) => link.ownerId,
  __resolveReference: ({ id }, context) =>
    whenKnown(context.loaders.linkById.load(id), (link) =>
      link !== null && mayReadLink(context, link) ? { link } : null,
    ),
}

function paymentOf(view: LinkView, { loaders }: Context): Payment | null | Promise<Payment | null> {
  if (view.payment !== undefined) return view.payment
  return view.link.paymentId === null ? null : loaders.paymentById.load(view.link.paymentId)
}
