import type { MutationResolvers } from '../../generated.ts'
import { failureResult, payoutSuccess } from '../../results.ts'

export const cancelScheduledPayout: MutationResolvers['cancelScheduledPayout'] = async (
  _root,
  { input },
  { operations },
) => {
  const outcome = await operations.cancelScheduledPayout(input)
  return outcome.kind === 'done' ? payoutSuccess(outcome) : failureResult(outcome)
}
