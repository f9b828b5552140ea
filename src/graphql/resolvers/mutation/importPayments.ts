import type { MutationResolvers } from '../../generated.ts'
import { subjectOf } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const importPayments: MutationResolvers['importPayments'] = async (_root, { input }, { operations, caller }) => {
  const outcome = await operations.importPayments(input, subjectOf(caller))
  if (outcome.kind !== 'done') return failureResult(outcome)
  return { __typename: 'ImportPaymentsSuccess', import: outcome.import, replayed: outcome.replayed }
}
