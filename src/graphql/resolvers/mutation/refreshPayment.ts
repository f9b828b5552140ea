import { hasScope } from '../../../access/caller.ts'
import type { MutationResolvers } from '../../generated.ts'
import { presentable } from '../../views/presentable.ts'
import { failureResult } from '../../views/results.ts'

export const refreshPayment: MutationResolvers['refreshPayment'] = async (_root, { id }, { operations, caller }) => {
  const outcome = await operations.refreshPayment(id, hasScope(caller, 'payments:reconcile'))
  if (outcome.kind !== 'done') return failureResult(outcome)
  const { payment, link, changed } = outcome
  return {
    __typename: 'RefreshPaymentSuccess',
    payment: presentable(payment),
    link: link === null ? null : { ...link, payment },
    changed,
  }
}
