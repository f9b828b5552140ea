import type { QueryResolvers } from '../../generated.ts'

export const gatewayPayment: QueryResolvers['gatewayPayment'] = (_root, { id }, { loaders }) =>
  loaders.gatewayPaymentById.load(id)
