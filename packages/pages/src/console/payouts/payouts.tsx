import { ActionButton } from '../actions/actions.tsx'
import { RecordedPayoutsDocument, type PayoutStatusInput } from '../generated/graphql.ts'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { momentText } from '../pieces/moments.tsx'
import { RecordList } from '../pieces/record-list.tsx'
import type { Route } from '../routes/route.ts'

const STATUSES: readonly PayoutStatusInput[] = ['CREATED', 'SCHEDULED', 'PROCESSING', 'COMPLETED', 'EXPIRED']

/** Returns whether an event is about a payout. */
export const concernsPayouts = ({ kind }: FeedEvent): boolean => kind.startsWith('PAYOUT_')

/** Payouts that were made through the subgraph, newest first. */
export function Payouts({ route }: { readonly route: Route }) {
  return (
    <RecordList
      route={route}
      title="Payouts"
      document={RecordedPayoutsDocument}
      listOf={(data) => data.recordedPayouts}
      concerns={concernsPayouts}
      kind="PayoutStatus"
      by={{ name: 'statuses', kind: 'PayoutStatus', values: STATUSES }}
      search={{ label: 'Exact reference', name: 'reference' }}
      chips={{ currency: 'Currency', methodCode: 'Method', site: 'Site' }}
      columns={['Description', 'Note', 'Changed']}
      actions={
        <>
          <ActionButton name="payout-file" />
          <ActionButton name="payout" isMain />
        </>
      }
      rowOf={({ id, reference, totalAmount, status, statusRaw, description, updatedAt, ...payout }) => ({
        id,
        amount: totalAmount,
        status,
        statusRaw,
        name: reference ?? id,
        cells: [description, noteOf(payout)],
        at: updatedAt,
      })}
    />
  )
}

type Noted = {
  readonly failedTransactions: number | null
  readonly scheduledAt: string | null
  readonly cancelledAt: string | null
}

function noteOf({ failedTransactions, scheduledAt, cancelledAt }: Noted) {
  if (failedTransactions !== null && failedTransactions > 0)
    return <span class="tone look">{`${failedTransactions} failed`}</span>
  if (cancelledAt !== null) return 'Cancelled'
  return scheduledAt === null ? null : momentText(Date.parse(scheduledAt))
}
