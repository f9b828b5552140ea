import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { personRequest } from '../../views/person-view.ts'
import { contactSuccess, failureResult } from '../../views/results.ts'

export const createPaymentContact: MutationResolvers['createPaymentContact'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const request = { ...input, person: personRequest(input.person) }
  const outcome = await operations.createContact(request, keyHolder(caller, 'customers:read'))
  return outcome.kind === 'done' ? contactSuccess(outcome) : failureResult(outcome)
}
