import { hasScope } from '../../access/caller.ts'
import { parseEventId, type PaymentEvent } from '../../domain/events/payment-event.ts'
import { eventMatcher, type StreamItem } from '../../streams/stream-item.ts'
import { withoutNulls, eventPage, newestEvents } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import { whenKnown, type AreaResolvers } from '../models.ts'
import { rightEndsAt, mayReadEvent, demandToken } from '../rights/rights.ts'
import { streamSource } from '../subscriptions/stream-source.ts'
import { presentable, presentableAgreement } from '../views/views.ts'

export const eventsResolvers = {
  Query: {
    paymentEvents: (_root, args, context) => {
      const filter = withoutNulls(args.filter)
      const { last, before, after } = args
      if (last === null || last === undefined) {
        if (before !== null && before !== undefined) throw badArgument('before', 'can be used only with last')
        return eventPage(filter, args, context)
      }
      if (after !== null && after !== undefined) throw badArgument('last', 'cannot be combined with after')
      return newestEvents(filter, { last, before }, context)
    },
  },
  Subscription: {
    paymentEventStream: {
      subscribe: async (_root, args, context) => {
        const filter = withoutNulls(args.filter)
        return streamSource(
          'paymentEventStream',
          {
            streamId: null,
            filter,
            matches: eventMatcher(filter, await refsOf(filter.linkIds, context)),
            after: args.after,
            otherwise: { kind: 'now' },
            endsAt: rightEndsAt(context, false),
            payer: null,
          },
          context,
        )
      },
    },
  },
  PaymentEvent: {
    cursor: (event, _args, { cursors }) => cursors.encode('log', event.position),
    receivedAt: (event) => event.recordedAt,
    async before(event, _args, { loaders }) {
      if (event.payment === null || event.fromStatus === null) return null
      return presentable((await loaders.previousOfPayment.load(event))?.payment ?? null)
    },
    after: ({ payment }) => presentable(payment),
    refund({ payment, sequence }) {
      const refund = payment?.refunds?.findLast(({ version }) => version === sequence) ?? null
      return payment === null || refund === null ? null : { refund, payment }
    },
    link: ({ linkRef }, _args, { loaders }) => (linkRef === null ? null : loaders.linkByRef.load(linkRef)),
    ...subjectFields((event: PaymentEvent) => event),
    __resolveReference: async ({ id }, context) => {
      demandToken(context)
      if (parseEventId(id) === null) return null
      const event = await context.loaders.eventById.load(id)
      return event !== null && (await mayReadEvent(context, event)) ? event : null
    },
  },
  PaymentStreamItem: {
    cursor: (item, _args, { cursors }) => cursors.encode('log', item.position),
    previousCursor: (item, _args, { cursors }) =>
      item.previous === null ? null : cursors.encode('log', item.previous),
    event: (item) => (item.kind === 'EVENT' ? item.event : null),
    link(item, _args, { loaders }) {
      if (item.kind === 'SNAPSHOT') return item.link && loaders.linkById.of(item.link)
      return item.kind === 'EVENT' && item.event.linkRef !== null ? loaders.linkByRef.load(item.event.linkRef) : null
    },
    ...subjectFields((item: StreamItem) => {
      if (item.kind === 'EVENT') return item.event
      return item.kind === 'SNAPSHOT' ? item : null
    }),
    resyncReason: (item) => (item.kind === 'RESYNC_REQUIRED' ? item.reason : null),
  },
} satisfies AreaResolvers

/** Returns the correlation ids of a filter's links. Events contain this id, so one look-up when the stream opens is sufficient. */
async function refsOf(linkIds: readonly string[] | undefined, { store }: Context): Promise<readonly string[] | null> {
  return linkIds === undefined ? null : (await store.links.byIds(linkIds)).map((link) => link.ref)
}

/** Returns whether an item is of the stream of an agreement, which is open only to those who may read that. */
function isOfAgreement(parent: unknown): boolean {
  return (parent as { readonly isOfAgreement?: boolean }).isOfAgreement === true
}

type Subjects = Pick<PaymentEvent, 'payment' | 'agreement' | 'payout' | 'gatewayPayment'>

/** Returns the resolvers of the fields with the current states of subjects; null for those that readers of the event log may lack the scope for. */
function subjectFields<Parent>(subjectsOf: (parent: Parent) => Subjects | null) {
  return {
    payment(parent: Parent, _args: unknown, { loaders }: Context) {
      const payment = subjectsOf(parent)?.payment ?? null
      return payment && whenKnown(loaders.paymentById.load(payment.id), presentable)
    },
    agreement(parent: Parent, _args: unknown, { caller, loaders }: Context) {
      const isShown = hasScope(caller, 'agreements:read') || isOfAgreement(parent)
      const agreement = isShown ? (subjectsOf(parent)?.agreement ?? null) : null
      return agreement && whenKnown(loaders.agreementById.load(agreement.id), presentableAgreement)
    },
    payout(parent: Parent, _args: unknown, { caller, loaders }: Context) {
      const payout = hasScope(caller, 'payouts:read') ? (subjectsOf(parent)?.payout ?? null) : null
      return payout && loaders.payoutById.load(payout.id)
    },
    gatewayPayment(parent: Parent, _args: unknown, { loaders }: Context) {
      const gatewayPayment = subjectsOf(parent)?.gatewayPayment ?? null
      return gatewayPayment && loaders.gatewayPaymentById.load(gatewayPayment.id)
    },
  }
}
