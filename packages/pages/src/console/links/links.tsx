import { ActionButton } from '../actions/actions.tsx'
import { LinksDocument, type PaymentPhase } from '../generated/graphql.ts'
import { ANY_EVENT } from '../pieces/answers.tsx'
import { RecordList } from '../pieces/record-list.tsx'
import { Status } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'

const PHASES: readonly PaymentPhase[] = ['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'EXPIRED']

/** Hosted checkout links, newest first. */
export function Links({ route }: { readonly route: Route }) {
  return (
    <RecordList
      route={route}
      title="Links"
      document={LinksDocument}
      listOf={(data) => data.paymentLinks}
      concerns={ANY_EVENT}
      kind="PaymentLinkState"
      by={{ name: 'phases', kind: 'PaymentPhase', values: PHASES }}
      search={{ label: 'Exact reference', name: 'reference' }}
      chips={{ site: 'Site' }}
      columns={['Payment', 'Site', 'Ends']}
      actions={<ActionButton name="link" isMain />}
      rowOf={({ id, reference, state, requestedAmount, payment, site, expiresAt }) => ({
        id,
        amount: requestedAmount,
        status: state,
        name: reference,
        cells: [payment && <Status kind="PayinStatus" of={payment.status} raw={payment.statusRaw} />, site],
        at: expiresAt,
      })}
    />
  )
}
