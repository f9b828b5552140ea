import { linkState } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { Context } from '../context.ts'
import type { PaymentLinkResolvers } from '../generated.ts'
import type { LinkView } from '../models.ts'
import { mayReadLink } from '../rights/rights.ts'
import { statusTokenFor } from '../rights/status-token-access.ts'
import { streamEvents } from '../subscriptions/stream-events.ts'
import { presentable } from '../views/presentable.ts'

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
  state: async (view, _args, context) => linkState(view.link, await paymentOf(view, context), context.clock()),
  payment: async (view, _args, context) => presentable(await paymentOf(view, context)),
  events: ({ link }, args, context) => streamEvents(link.streamId, args, context),
  statusToken: ({ link }, _args, { keys }) => statusTokenFor(keys, link.id, link.expiresAt),
  ownerId: ({ link }) => link.ownerId,
  __resolveReference: async ({ id }, context) => {
    const link = await context.loaders.linkById.load(id)
    return link !== null && mayReadLink(context, link) ? { link } : null
  },
}

async function paymentOf(view: LinkView, { loaders }: Context): Promise<Payment | null> {
  if (view.payment !== undefined) return view.payment
  return view.link.paymentId === null ? null : loaders.paymentById.load(view.link.paymentId)
}
