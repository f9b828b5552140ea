import { linkState } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { withoutNulls, connection, pageSize, placeStart, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { notFound } from '../error-formatter.ts'
import { whenKnown, type LinkView, type AreaResolvers } from '../models.ts'
import {
  mayReadLink,
  onlyByToken,
  payerOf,
  rightEndsAt,
  keyHolder,
  demandToken,
  statusTokenFor,
} from '../rights/rights.ts'
import { streamSource } from '../subscriptions/stream-source.ts'
import { failureResult, presentable } from '../views/views.ts'

export const linksResolvers = {
  Query: {
    paymentLink: (_root, { id, statusToken }, context) =>
      whenKnown(context.loaders.linkById.load(id), (link) =>
        link !== null && mayReadLink(context, link, statusToken) ? link : null,
      ),
    paymentLinks: async (_root, args, { store, cursors }) => {
      const size = pageSize(args.first)
      const filter = withoutNulls(args.filter)
      const byInstant = filter.createdFrom !== undefined || filter.createdBefore !== undefined
      const before = placeStart(cursors, 'links', { after: args.after, byInstant })
      const rows = await store.links.page({ limit: size + 1, before }, filter)
      return connection(
        { rows, size, after: args.after },
        { cursor: (place) => cursors.encodePlace('links', place), node: ({ row }) => row },
      )
    },
  },
  Mutation: {
    createPaymentLink: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.createPaymentLink(input, keyHolder(caller, 'payments:read'))
      return outcome.kind === 'done'
        ? { __typename: 'CreatePaymentLinkSuccess', link: outcome.link, replayed: outcome.replayed }
        : failureResult(outcome)
    },
  },
  Subscription: {
    paymentLinkUpdates: {
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
    },
  },
  PaymentLink: {
    nodeId: ({ id }) => nodeIdOf('PaymentLink', id),
    method: ({ methodCode }, _args, { loaders }) =>
      methodCode === null ? null : loaders.methodByCode.load(methodCode),
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
  },
} satisfies AreaResolvers

function paymentOf({ payment, paymentId }: LinkView, { loaders }: Context): Payment | null | Promise<Payment | null> {
  if (payment !== undefined) return payment
  return paymentId === null ? null : loaders.paymentById.load(paymentId)
}
