import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { agreementSuccess, failureResult } from '../../views/results.ts'

export const amendPaymentAgreement: MutationResolvers['amendPaymentAgreement'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const outcome = await operations.amendPaymentAgreement(input, keyHolder(caller, 'agreements:read'))
  return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
}
