import type { PayerErasureResolvers } from '../generated.ts'

export const PayerErasure: PayerErasureResolvers = {
  id: ({ number }) => String(number),
  by: ({ kind }) => kind,
  state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
}
