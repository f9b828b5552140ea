import type { QueryResolvers } from '../../generated.ts'

export const signingKeys: QueryResolvers['signingKeys'] = (_root, _args, context) => context.signingKeys.report()
