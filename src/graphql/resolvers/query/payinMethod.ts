import type { QueryResolvers } from '../../generated.ts'

export const payinMethod: QueryResolvers['payinMethod'] = (_root, { code }, { loaders }) =>
  loaders.methodByCode.load(code)
