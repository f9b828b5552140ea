import { parseEventId } from '../../domain/payments/payment-event.ts'
import { eventMatcher } from '../../streams/stream-item.ts'
import { withoutNulls, eventPage, newestEvents } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import type { AreaResolvers } from '../models.ts'
import { rightEndsAt, mayReadEvent, visibleAgreement, visiblePayout, demandToken } from '../rights/rights.ts'
import { streamSource } from '../subscriptions/stream-source.ts'
import { presentable } from '../views/views.ts'

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
    payment: (event) => presentable(event.payment),
    refund({ payment, sequence }) {
      const shown = presentable(payment)
      const refund = shown?.refunds?.findLast(({ version }) => version === sequence) ?? null
      return shown === null || refund === null ? null : { refund, payment: shown }
    },
    agreement: (event, _args, { caller }) => visibleAgreement(caller, event.agreement),
    payout: (event, _args, { caller }) => visiblePayout(caller, event.payout),
    link: async (event, _args, { loaders }) => {
      const link = event.linkRef === null ? null : await loaders.linkByRef.load(event.linkRef)
      return link === null ? null : { ...link, payment: event.payment }
    },
    __resolveReference: async ({ id }, context) => {
      demandToken(context.caller)
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
    payment: (item) => {
      if (item.kind === 'EVENT') return presentable(item.event.payment)
      return item.kind === 'SNAPSHOT' ? presentable(item.payment) : null
    },
    agreement: (item, _args, { caller }) => {
      if (item.kind === 'EVENT') return visibleAgreement(caller, item.event.agreement)
      return item.kind === 'SNAPSHOT' ? visibleAgreement(caller, item.agreement) : null
    },
    payout: (item, _args, { caller }) => {
      if (item.kind === 'EVENT') return visiblePayout(caller, item.event.payout)
      return item.kind === 'SNAPSHOT' ? visiblePayout(caller, item.payout) : null
    },
    gatewayPayment: (item) => {
      if (item.kind === 'EVENT') return item.event.gatewayPayment
      return item.kind === 'SNAPSHOT' ? item.gatewayPayment : null
    },
    link: async (item, _args, { loaders }) => {
      if (item.kind === 'SNAPSHOT') return item.link && { ...item.link, payment: item.payment }
      if (item.kind !== 'EVENT' || item.event.linkRef === null) return null
      const link = await loaders.linkByRef.load(item.event.linkRef)
      return link && { ...link, payment: item.event.payment }
    },
    resyncReason: (item) => (item.kind === 'RESYNC_REQUIRED' ? item.reason : null),
  },
} satisfies AreaResolvers

/** Returns the correlation ids of a filter's links. Events contain this id, so one look-up when the stream opens is sufficient. */
async function refsOf(linkIds: readonly string[] | undefined, { store }: Context): Promise<readonly string[] | null> {
  return linkIds === undefined ? null : (await store.links.byIds(linkIds)).map((link) => link.ref)
}
