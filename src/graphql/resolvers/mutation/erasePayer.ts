import type { MutationResolvers } from '../../generated.ts'
import { subjectOf } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const erasePayer: MutationResolvers['erasePayer'] = async (_root, { input }, { operations, caller }) => {
  const outcome = await operations.erasePayer(input, subjectOf(caller))
  return outcome.kind === 'done'
    ? { __typename: 'ErasePayerSuccess', erasure: outcome.erasure }
    : failureResult(outcome)
}
