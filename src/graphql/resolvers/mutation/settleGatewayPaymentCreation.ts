import type { MutationResolvers } from '../../generated.ts'
import { subjectOf } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const settleGatewayPaymentCreation: MutationResolvers['settleGatewayPaymentCreation'] = async (
  _root,
  { input: { operationId, outcome: found, paymentId } },
  { operations, caller },
) => {
  const request = { operationId, isCreated: found === 'CREATED', paymentId: paymentId ?? null }
  const outcome = await operations.settleGatewayCreation(request, subjectOf(caller))
  if (outcome.kind !== 'done') return failureResult(outcome)
  return { __typename: 'SettleGatewayPaymentSuccess', payment: outcome.payment }
}
