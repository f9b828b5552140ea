import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { documentRequest, personRequest } from '../../views/person-view.ts'
import { customerSuccess, failureResult } from '../../views/results.ts'

export const updatePaymentCustomer: MutationResolvers['updatePaymentCustomer'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const request = { ...input, person: personRequest(input.person), document: documentRequest(input.document) }
  const outcome = await operations.updateCustomer(request, keyHolder(caller, 'customers:read'))
  return outcome.kind === 'done' ? customerSuccess(outcome) : failureResult(outcome)
}
