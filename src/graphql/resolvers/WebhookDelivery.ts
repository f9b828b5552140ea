import { quarantineReason } from '../../domain/delivery.ts'
import type { WebhookDeliveryResolvers } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'
import { mayReadBody, visibleAgreement } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const WebhookDelivery: WebhookDeliveryResolvers = {
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
}
