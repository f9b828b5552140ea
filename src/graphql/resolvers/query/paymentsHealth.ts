import type { QueryResolvers } from '../../generated.ts'

export const paymentsHealth: QueryResolvers['paymentsHealth'] = (_root, _args, { health }) => health
