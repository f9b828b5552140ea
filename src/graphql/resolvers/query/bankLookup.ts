import type { QueryResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const bankLookup: QueryResolvers['bankLookup'] = async (_root, { qrContent }, { operations }) => {
  const outcome = await operations.lookUpBank(qrContent)
  return outcome.kind === 'done' ? { __typename: 'BankLookup', ...outcome.account } : failureResult(outcome)
}
