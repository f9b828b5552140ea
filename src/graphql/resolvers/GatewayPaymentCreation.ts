import type { GatewayPaymentCreationResolvers } from '../generated.ts'

export const GatewayPaymentCreation: GatewayPaymentCreationResolvers = {
  amount: ({ amount, currency }) => (amount === null || currency === null ? null : { value: amount, currency }),
  requestedAt: (creation) => ('requestedAt' in creation ? creation.requestedAt : null),
  payment: (creation, _args, { loaders }) =>
    'paymentId' in creation && creation.paymentId !== null ? loaders.gatewayPaymentById.load(creation.paymentId) : null,
  settledBy: (creation) => ('settledBy' in creation ? creation.settledBy : null),
}
