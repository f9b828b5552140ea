import type { QueryResolvers } from '../../generated.ts'

export const accountBalances: QueryResolvers['accountBalances'] = async (_root, { currencies }, { operations }) => {
  const { balances, failures } = await operations.balances(currencies ?? null)
  return { nodes: [...balances], unavailable: failures.map(({ currency }) => currency) }
}
