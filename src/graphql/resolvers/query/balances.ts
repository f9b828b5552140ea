import { failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const balances: QueryResolvers['balances'] = async (_root, { currencies }, { operations }) => {
  const { balances: found, failures } = await operations.balances({
    currencies: currencies ?? null,
    firstAlone: true,
  })
  const [first] = failures
  if (found.length === 0 && first !== undefined) throw failedRead(first.failure)
  return [...found]
}
