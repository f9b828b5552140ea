import type { MutationResolvers } from '../../generated.ts'
import { failureResult, payoutSuccess } from '../../results.ts'

export const createPayout: MutationResolvers['createPayout'] = async (_root, { input }, { operations }) => {
  const outcome = await operations.createPayout(input)
  return outcome.kind === 'done' ? payoutSuccess(outcome) : failureResult(outcome)
}
