import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../results.ts'

export const refundPayment: MutationResolvers['refundPayment'] = async (_root, { input }, { operations }) => {
  const outcome = await operations.refundPayment(input)
  if (outcome.kind !== 'done') return failureResult(outcome)
  const { payment, refundExpiresAt, replayed } = outcome
  return { __typename: 'RefundPaymentSuccess', payment, refundExpiresAt, replayed }
}
