import { linkState, type PaymentLink } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { filteredList, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { countedPage, whenKnown, type AreaResolvers } from '../models.ts'
import { ownFilter, mayReadLink, keyHolder, type Owned, demandToken, statusTokenFor } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { failureResult, presentable } from '../views/views.ts'

export const linksResolvers = {
  Query: {
    paymentLink: (_root, { id, statusToken }, context) =>
      whenKnown(context.loaders.linkById.load(id), (link) =>
        link !== null && mayReadLink(context, link, statusToken) ? link : null,
      ),
    paymentLinks: (_root, args, context) =>
      filteredList(
        'links',
        { ...args, filter: ownFilter(context, args.filter, { name: 'Query.paymentLinks', scope: 'payments:read' }) },
        context,
        { store: context.store.links, show: context.loaders.linkById.of },
      ),
  },
  Mutation: {
    createPaymentLink: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.createPaymentLink(input, keyHolder(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const { result, replayed } = outcome
      return { __typename: 'CreatePaymentLinkSuccess', link: loaders.linkById.of(result), replayed }
    },
  },
  Subscription: {
    paymentLinkUpdates: {
      subscribe: async (_root, args, context) => {
        const snapshot = await context.store.links.snapshot(args.id)
        const mayRead = snapshot !== null && mayReadLink(context, snapshot.link, args.statusToken)
        return followOf(
          'paymentLinkUpdates',
          { of: 'link', snapshot: mayRead ? snapshot : null, owned: snapshot?.link },
          args,
          context,
        )
      },
    },
  },
  PaymentLinkConnection: countedPage,
  PaymentLink: {
    nodeId: ({ id }) => nodeIdOf('PaymentLink', id),
    method: ({ methodCode }, _args, { loaders }) =>
      methodCode === null ? null : loaders.methodByCode.load(methodCode),
    serverTime: (_link, _args, { clock }) => clock(),
    state: (link, _args, context) =>
      whenKnown(paymentOf(link, context), (payment) => linkState(link, payment, context.clock())),
    payment: (link, _args, context) => whenKnown(paymentOf(link, context), presentable),
    async payments({ ref }, _args, { loaders }) {
      const found = (await loaders.paymentsOfLink.load(ref)) ?? []
      const payments = await Promise.all(found.map(async (payment) => loaders.paymentById.of(payment)))
      return payments.filter((payment) => presentable(payment) !== null)
    },
    events: ({ streamId }, args, context) => eventPage({ streamIds: [streamId] }, args, context),
    owner: ownerOf,
    statusToken: ({ id, expiresAt }, _args, { keys }) => statusTokenFor(keys, id, expiresAt),
    __resolveReference(reference, context) {
      demandToken(context)
      return whenKnown(context.loaders.linkById.load(reference.id), (link) =>
        link !== null && mayReadLink(context, link) ? link : null,
      )
    },
  },
} satisfies AreaResolvers

/** Returns the owner of a link or a direct payin as the stub of another subgraph's entity; null if there is none. */
export function ownerOf({ ownerId }: Owned): { readonly id: string } | null {
  return ownerId === null ? null : { id: ownerId }
}

function paymentOf({ paymentId }: PaymentLink, { loaders }: Context): Payment | null | Promise<Payment | null> {
  return paymentId === null ? null : loaders.paymentById.load(paymentId)
}
