import type { MutationResolvers } from '../../generated.ts'
import { presentable } from '../../views/presentable.ts'
import { failureResult } from '../../views/results.ts'

export const dismissDuplicatePayment: MutationResolvers['dismissDuplicatePayment'] = async (
  _root,
  { input },
  { operations },
) => {
  const outcome = await operations.dismissDuplicate(input.paymentId)
  if (outcome.kind !== 'done') return failureResult(outcome)
  return { __typename: 'DismissDuplicatePaymentSuccess', payment: presentable(outcome.payment) }
}
