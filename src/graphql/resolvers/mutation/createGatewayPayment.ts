import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const createGatewayPayment: MutationResolvers['createGatewayPayment'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const outcome = await operations.createGatewayPayment(input, keyHolder(caller, 'payments:read'))
  return outcome.kind === 'done'
    ? { __typename: 'CreateGatewayPaymentSuccess', ...outcome.payment, replayed: outcome.replayed }
    : failureResult(outcome)
}
