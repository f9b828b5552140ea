import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { failureResult, payoutSuccess } from '../../views/results.ts'

export const createPayoutFromFile: MutationResolvers['createPayoutFromFile'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const outcome = await operations.createPayoutFromFile(input, keyHolder(caller, 'payouts:read'))
  return outcome.kind === 'done' ? payoutSuccess(outcome) : failureResult(outcome)
}
