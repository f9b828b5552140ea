import type { QueryResolvers } from '../../generated.ts'

export const accountBalances: QueryResolvers['accountBalances'] = async (_root, { currencies }, { operations }) => {
  const { balances, failures } = await operations.balances({ currencies: currencies ?? null })
  const unavailable = [...new Set(failures.map(({ currency }) => currency))]
  return { nodes: [...balances], unavailable, failures: [...failures] }
}
