import { linkState } from '../../domain/payment-link.ts'
import type { Payment } from '../../domain/payment.ts'
import { issueStatusToken } from '../../keys/status-token.ts'
import type { Context } from '../context.ts'
import type { PaymentLinkResolvers } from '../generated.ts'
import type { LinkView } from '../models.ts'
import { presentable } from '../presentable.ts'
import { mayReadLink } from '../rights.ts'
import { streamEvents } from '../stream-events.ts'

/** How long a status token outlives its link, so that a guest can still come back to the status page. */
const TOKEN_OUTLIVES_LINK_MS = 24 * 3_600_000

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
  statusToken: ({ link }, _args, { keys }) =>
    issueStatusToken(keys, {
      subjectId: link.id,
      expiresAt: new Date(Date.parse(link.expiresAt) + TOKEN_OUTLIVES_LINK_MS),
    }),
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
