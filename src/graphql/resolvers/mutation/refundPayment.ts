import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const refundPayment: MutationResolvers['refundPayment'] = async (_root, { input }, { operations, caller }) => {
  const outcome = await operations.refundPayment(input, keyHolder(caller, 'payments:read'))
  if (outcome.kind !== 'done') return failureResult(outcome)
  const { payment, refundExpiresAt, replayed } = outcome
  return { __typename: 'RefundPaymentSuccess', payment, refundExpiresAt, replayed }
}
