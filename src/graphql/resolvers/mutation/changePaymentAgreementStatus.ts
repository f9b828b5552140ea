import type { RequestedAgreementStatus } from '../../../domain/agreements/agreement-report.ts'
import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { agreementSuccess, failureResult } from '../../views/results.ts'

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
