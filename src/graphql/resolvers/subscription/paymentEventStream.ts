import { eventMatcher } from '../../../streams/event-filter.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import type { Context } from '../../context.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { rightEndsAt } from '../../rights/rights.ts'
import { streamSource } from '../../subscriptions/stream-source.ts'

export const paymentEventStream: SubscriptionResolvers['paymentEventStream'] = {
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
}

/** Returns the correlation ids of a filter's links. Events contain this id, so one look-up when the stream opens is sufficient. */
async function refsOf(linkIds: readonly string[] | undefined, { store }: Context): Promise<readonly string[] | null> {
  return linkIds === undefined ? null : (await store.links.byIds(linkIds)).map((link) => link.ref)
}
