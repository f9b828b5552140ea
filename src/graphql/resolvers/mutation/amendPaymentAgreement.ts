import type { MutationResolvers } from '../../generated.ts'
import { agreementSuccess, failureResult } from '../../results.ts'

export const amendPaymentAgreement: MutationResolvers['amendPaymentAgreement'] = async (
  _root,
  { input },
  { operations },
) => {
  const outcome = await operations.amendPaymentAgreement(input)
  return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
}
