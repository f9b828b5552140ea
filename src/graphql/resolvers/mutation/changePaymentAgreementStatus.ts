import type { RequestedAgreementStatus } from '../../../domain/agreement-report.ts'
import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../key-holder.ts'
import { agreementSuccess, failureResult } from '../../results.ts'

export const changePaymentAgreementStatus: MutationResolvers['changePaymentAgreementStatus'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const status = input.status.toLowerCase() as RequestedAgreementStatus
  const outcome = await operations.changePaymentAgreementStatus(
    { ...input, status },
    keyHolder(caller, 'agreements:read'),
  )
  return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
}
