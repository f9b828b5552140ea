import type { CreateGatewayPaymentSuccessResolvers } from '../generated.ts'

export const CreateGatewayPaymentSuccess: CreateGatewayPaymentSuccessResolvers = {
  payment: ({ paymentId }, _args, { loaders }) => loaders.gatewayPaymentById.load(paymentId),
}
