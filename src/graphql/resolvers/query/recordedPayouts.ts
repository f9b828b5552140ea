import type { PayoutStatus } from '../../../domain/payouts/payout-report.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import { connection, pageSize, placeStart } from '../../arguments/paging.ts'
import type { QueryResolvers } from '../../generated.ts'
import { payoutView } from '../../views/payout-view.ts'

export const recordedPayouts: QueryResolvers['recordedPayouts'] = async (_root, args, { store, cursors }) => {
  const size = pageSize(args.first)
  const { statuses, ...conditions } = withoutNulls(args.filter)
  const byInstant = conditions.createdFrom !== undefined || conditions.createdBefore !== undefined
  const before = placeStart(cursors, 'payouts', { after: args.after, byInstant })
  const filter = statuses === undefined ? conditions : { ...conditions, statuses: statuses.map(wireStatus) }
  const placed = await store.payouts.page({ limit: size + 1, before }, filter)
  const rows = placed.flatMap(({ row, ...place }) => {
    const view = payoutView(row, [])
    return view === null ? [] : [{ ...place, view }]
  })
  return connection(
    { rows, size, after: args.after },
    { cursor: (place) => cursors.encodePlace('payouts', place), node: ({ view }) => view },
  )
}

function wireStatus(status: string): PayoutStatus {
  return status.toLowerCase() as PayoutStatus
}
