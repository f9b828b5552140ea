import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { agreementSuccess, failureResult } from '../../views/results.ts'

export const createPaymentAgreement: MutationResolvers['createPaymentAgreement'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const outcome = await operations.createPaymentAgreement(input, keyHolder(caller, 'agreements:read'))
  return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
}
