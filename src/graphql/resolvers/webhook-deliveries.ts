import { quarantineReason } from '../../domain/delivery.ts'
import { withoutNulls } from '../arguments/filters.ts'
import { connection, pageSize, pageStart } from '../arguments/paging.ts'
import { nodeIdOf } from '../node-id.ts'
import { mayReadBody, visibleAgreement } from '../rights/rights.ts'
import { failureResult, presentable } from '../views/views.ts'
import type { AreaResolvers } from './area-resolvers.ts'

export const webhookDeliveriesResolvers = {
  Query: {
    webhookDeliveries: async (_root, args, { store, cursors }) => {
      const size = pageSize(args.first)
      const start = pageStart(cursors, 'deliveries', args.after)
      const before = start === null ? null : { number: start }
      const rows = await store.inbox.page({ limit: size + 1, before }, withoutNulls(args.filter))
      return connection(
        { rows, size, after: args.after },
        { cursor: (delivery) => cursors.encode('deliveries', delivery.number), node: (delivery) => delivery },
      )
    },
    webhookDelivery: (_root, { id }, { loaders }) => loaders.deliveryById.load(id),
  },
  Mutation: {
    replayWebhookDelivery: async (_root, { input }, { operations, loaders }) => {
      const outcome = await operations.replayDelivery(input)
      if (outcome.kind !== 'done') return failureResult(outcome)
      const delivery = await loaders.deliveryById.load(input.deliveryId)
      if (delivery === null) throw new Error('A delivery that was replayed is gone.')
      return {
        __typename: 'ReplayWebhookDeliverySuccess',
        applied: outcome.applied,
        dispositionBefore: outcome.before,
        dispositionAfter: outcome.after,
        readRequested: outcome.readDue,
        statusBefore: outcome.statusBefore,
        statusAfter: outcome.statusAfter,
        delivery,
      }
    },
  },
  WebhookDelivery: {
    nodeId: ({ id }) => nodeIdOf('WebhookDelivery', id),
    quarantineReason: (delivery) => quarantineReason(delivery),
    link: ({ ref }, _args, { loaders }) => (ref === null ? null : loaders.linkByRef.load(ref)),
    payment: async ({ subjectId }, _args, { loaders }) =>
      subjectId === null ? null : presentable(await loaders.paymentById.load(subjectId)),
    agreement: async ({ subjectId }, _args, { loaders, caller }) =>
      subjectId === null ? null : visibleAgreement(caller, await loaders.agreementById.load(subjectId)),
    body: async ({ ref, body }, _args, context) => (body !== null && (await mayReadBody(context, ref)) ? body : null),
    event: (delivery, _args, { loaders }) =>
      delivery.eventId === null ? null : loaders.eventById.load(delivery.eventId),
  },
} satisfies AreaResolvers
