import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const erasePayer: MutationResolvers['erasePayer'] = async (_root, { input }, { operations, caller }) => {
  const outcome = await operations.erasePayer(input, caller.kind === 'client' ? caller.subject : null)
  return outcome.kind === 'done'
    ? { __typename: 'ErasePayerSuccess', erasure: outcome.erasure }
    : failureResult(outcome)
}
