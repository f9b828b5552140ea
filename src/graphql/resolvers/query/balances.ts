import { failedRead } from '../../errors.ts'
import type { QueryResolvers } from '../../generated.ts'

export const balances: QueryResolvers['balances'] = async (_root, { currencies }, { operations }) => {
  const outcome = await operations.balances(currencies ?? null)
  if (outcome.kind !== 'done') throw failedRead(outcome)
  return [...outcome.balances]
}
