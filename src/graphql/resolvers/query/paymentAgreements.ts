import type { AgreementStatus } from '../../../domain/agreement-report.ts'
import { withoutNulls } from '../../filters.ts'
import type { QueryResolvers } from '../../generated.ts'
import { connection, pageSize, pageStart } from '../../paging.ts'

export const paymentAgreements: QueryResolvers['paymentAgreements'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const before = pageStart(cursors, 'agreements', args.after)
  const { statuses, ...instants } = withoutNulls(args.filter)
  const filter = statuses === undefined ? instants : { ...instants, statuses: statuses.map(wireStatus) }
  const rows = await store.agreements.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, numberOf: (row) => row.number, size, after: args.after },
    { encode: (number) => cursors.encode('agreements', number), node: ({ row }) => row },
  )
}

function wireStatus(status: string): AgreementStatus {
  return status.toLowerCase() as AgreementStatus
}
