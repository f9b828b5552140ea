import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const simulateDeposit: MutationResolvers['simulateDeposit'] = async (_root, { input }, { operations }) => {
  const outcome = await operations.simulateDeposit(input)
  return outcome.kind === 'done'
    ? { __typename: 'SimulationAccepted', response: outcome.response }
    : failureResult(outcome)
}
