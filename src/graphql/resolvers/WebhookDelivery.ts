import type { WebhookDeliveryResolvers } from '../generated.ts'

export const WebhookDelivery: WebhookDeliveryResolvers = {
  event: (delivery, _args, { loaders }) =>
    delivery.eventId === null ? null : loaders.eventById.load(delivery.eventId),
}
