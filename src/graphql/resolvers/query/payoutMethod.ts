import type { QueryResolvers } from '../../generated.ts'

export const payoutMethod: QueryResolvers['payoutMethod'] = (_root, { code }, { payoutMethods }) =>
  payoutMethods.find(code)
