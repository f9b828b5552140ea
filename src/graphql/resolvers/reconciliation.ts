import { hasScope } from '../../access/caller.ts'
import type { ExportFormatName, ExportedPayers } from '../../domain/exports/export-format.ts'
import { progressOf } from '../../domain/imports/import-plan.ts'
import { reconciledTotals } from '../../domain/imports/import-report.ts'
import { withoutNulls } from '../arguments/filters.ts'
import { connection, pageSize, pageStart } from '../arguments/paging.ts'
import { nodeIdOf } from '../node-id.ts'
import { subjectOf, keyScopeOf } from '../rights/rights.ts'
import { failureResult } from '../views/views.ts'
import type { AreaResolvers } from './area-resolvers.ts'

export const reconciliationResolvers = {
  Query: {
    paymentImport: async (_root, { id }, { store }) =>
      /^[1-9]\d{0,14}$/.test(id) ? store.imports.byNumber(Number(id)) : null,
    paymentImports: async (_root, args, { store, cursors }) => {
      const size = pageSize(args.first)
      const start = pageStart(cursors, 'imports', args.after)
      const before = start === null ? null : { number: start }
      const rows = await store.imports.page(
        { limit: size + 1, before },
        args.daily == null ? {} : { daily: args.daily },
      )
      return connection(
        { rows, size, after: args.after },
        { cursor: (row) => cursors.encode('imports', row.number), node: (row) => row },
      )
    },
    reconciliationReport: async (_root, { day }, { store }) => {
      const from = day == null ? {} : { from: Date.parse(day) }
      const [report] = await store.imports.page({ limit: 1, before: null }, { daily: true, ...from })
      return report ?? null
    },
  },
  Mutation: {
    importPayments: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.importPayments(input, subjectOf(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'ImportPaymentsSuccess', import: outcome.import, replayed: outcome.replayed }
    },
    createPaymentsExport: async (_root, { input: { filter, format, includePayers } }, { operations, caller }) => {
      const payers: ExportedPayers = !includePayers ? 'absent' : hasScope(caller, 'payments:pii') ? 'shown' : 'masked'
      const outcome = operations.requestPaymentsExport({
        filter: withoutNulls(filter),
        format: format.toLowerCase() as ExportFormatName,
        payers,
        callerKey: keyScopeOf(caller),
        rightEndsAt: caller.kind === 'client' ? caller.expiresAt : 0,
      })
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'PaymentsExport', ...outcome, payersMasked: payers === 'masked' }
    },
  },
  PaymentImport: {
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
  },
} satisfies AreaResolvers
