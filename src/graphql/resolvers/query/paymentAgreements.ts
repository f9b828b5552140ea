import type { AgreementStatus } from '../../../domain/agreements/agreement-report.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, placeStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentAgreements: QueryResolvers['paymentAgreements'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const { statuses, ...instants } = withoutNulls(args.filter)
  const byInstant = Object.keys(instants).length > 0
  const before = placeStart(cursors, 'agreements', { after: args.after, byInstant })
  const filter = statuses === undefined ? instants : { ...instants, statuses: statuses.map(wireStatus) }
  const rows = await store.agreements.page({ limit: size + 1, before }, filter)
  return connection(
    { rows, size, after: args.after },
    { cursor: (place) => cursors.encodePlace('agreements', place), node: ({ row }) => row },
  )
}

function wireStatus(status: string): AgreementStatus {
  return status.toLowerCase() as AgreementStatus
}
