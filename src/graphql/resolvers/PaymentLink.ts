import { linkState } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { eventPage } from '../arguments/event-page.ts'
import type { Context } from '../context.ts'
import type { PaymentLinkResolvers } from '../generated.ts'
import type { LinkView } from '../models.ts'
import { nodeIdOf } from '../node-id.ts'
import { demandToken } from '../rights/demand-scopes.ts'
import { mayReadLink } from '../rights/rights.ts'
import { statusTokenFor } from '../rights/status-token-access.ts'
import { presentable } from '../views/presentable.ts'
import { whenKnown } from '../when-known.ts'

export const PaymentLink: PaymentLinkResolvers = {
  nodeId: ({ id }) => nodeIdOf('PaymentLink', id),
  method: ({ methodCode }, _args, { loaders }) => (methodCode === null ? null : loaders.methodByCode.load(methodCode)),
  serverTime: (_link, _args, { clock }) => clock(),
  state: (link, _args, context) =>
    whenKnown(paymentOf(link, context), (payment) => linkState(link, payment, context.clock())),
  payment: (link, _args, context) => whenKnown(paymentOf(link, context), presentable),
  events: ({ streamId }, args, context) => eventPage({ streamIds: [streamId] }, args, context),
  statusToken: ({ id, expiresAt }, _args, { keys }) => statusTokenFor(keys, id, expiresAt),
  __resolveReference(reference, context) {
    demandToken(context.caller)
    return whenKnown(context.loaders.linkById.load(reference.id), (link) =>
      link !== null && mayReadLink(context, link) ? link : null,
    )
  },
}

function paymentOf({ payment, paymentId }: LinkView, { loaders }: Context): Payment | null | Promise<Payment | null> {
  if (payment !== undefined) return payment
  return paymentId === null ? null : loaders.paymentById.load(paymentId)
}
