import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const simulatePayin: MutationResolvers['simulatePayin'] = async (_root, { input }, { operations }) => {
  const outcome = await operations.simulatePayin(input)
  return outcome.kind === 'done'
    ? { __typename: 'SimulationAccepted', response: outcome.response }
    : failureResult(outcome)
}
