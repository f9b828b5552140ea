import { quarantineReason } from '../../domain/delivery.ts'
import type { WebhookDeliveryResolvers } from '../generated.ts'
import { mayReadBody, visibleAgreement } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const WebhookDelivery: WebhookDeliveryResolvers = {
  quarantineReason: (delivery) => quarantineReason(delivery),
  link: async ({ ref }, _args, { loaders }) => {
    const link = ref === null ? null : await loaders.linkByRef.load(ref)
    return link === null ? null : { link }
  },
  payment: async ({ subjectId }, _args, { loaders }) =>
    subjectId === null ? null : presentable(await loaders.paymentById.load(subjectId)),
  agreement: async ({ subjectId }, _args, { loaders, caller }) =>
    subjectId === null ? null : visibleAgreement(caller, await loaders.agreementById.load(subjectId)),
  body: async ({ ref, body }, _args, context) => (body !== null && (await mayReadBody(context, ref)) ? body : null),
  event: (delivery, _args, { loaders }) =>
    delivery.eventId === null ? null : loaders.eventById.load(delivery.eventId),
}
