import { progressOf } from '../../domain/imports/import-plan.ts'
import { reconciledTotals } from '../../domain/imports/import-report.ts'
import type { PaymentImportResolvers } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'

export const PaymentImport: PaymentImportResolvers = {
  id: ({ number }) => String(number),
  nodeId: ({ number }) => nodeIdOf('PaymentImport', String(number)),
  from: ({ plan }) => new Date(plan.from),
  to: ({ plan }) => new Date(plan.to),
  state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
  progress: ({ plan, place }) => progressOf(plan, place),
  requestedAt: ({ requestedAt }) => new Date(requestedAt),
  doneAt: ({ doneAt }) => (doneAt === null ? null : new Date(doneAt)),
  lists: ({ reports }) => [...reports],
  totals: ({ reports }) => reconciledTotals(reports),
}
