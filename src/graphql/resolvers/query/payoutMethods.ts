import type { QueryResolvers } from '../../generated.ts'

export const payoutMethods: QueryResolvers['payoutMethods'] = async (_root, { currencies }, context) => {
  const { methods, fetchedAt, stale, unavailable } = await context.payoutMethods.list(currencies ?? undefined)
  return { nodes: [...methods], fetchedAt, stale, unavailable: [...unavailable] }
}
