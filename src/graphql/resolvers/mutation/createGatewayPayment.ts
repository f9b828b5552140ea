import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../results.ts'

export const createGatewayPayment: MutationResolvers['createGatewayPayment'] = async (
  _root,
  { input },
  { operations },
) => {
  const outcome = await operations.createGatewayPayment(input)
  return outcome.kind === 'done'
    ? { __typename: 'CreateGatewayPaymentSuccess', ...outcome.payment, replayed: outcome.replayed }
    : failureResult(outcome)
}
