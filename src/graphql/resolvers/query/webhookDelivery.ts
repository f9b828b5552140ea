import type { QueryResolvers } from '../../generated.ts'

export const webhookDelivery: QueryResolvers['webhookDelivery'] = (_root, { id }, { loaders }) =>
  loaders.deliveryById.load(id)
