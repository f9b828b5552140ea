import type { MutationResolvers } from '../../generated.ts'
import { agreementSuccess, failureResult } from '../../results.ts'

export const createPaymentAgreement: MutationResolvers['createPaymentAgreement'] = async (
  _root,
  { input },
  { operations },
) => {
  const outcome = await operations.createPaymentAgreement(input)
  return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
}
