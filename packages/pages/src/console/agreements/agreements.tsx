import { ActionButton } from '../actions/actions.tsx'
import { AgreementsDocument, type PaymentAgreementStatusInput } from '../generated/graphql.ts'
import { RecordList } from '../pieces/record-list.tsx'
import type { Route } from '../routes/route.ts'

const STATUSES: readonly PaymentAgreementStatusInput[] = ['CREATED', 'ACTIVE', 'SUSPENDED', 'CANCELLED', 'FAILED']

/** Debit agreements, newest first. */
export function Agreements({ route }: { readonly route: Route }) {
  return (
    <RecordList
      route={route}
      title="Agreements"
      document={AgreementsDocument}
      listOf={(data) => data.paymentAgreements}
      concerns={({ agreementId }) => agreementId !== null}
      kind="PaymentAgreementStatus"
      by={{ name: 'statuses', kind: 'PaymentAgreementStatus', values: STATUSES }}
      search={{ label: 'Exact reference', name: 'clientTransactionId' }}
      chips={{ site: 'Site' }}
      columns={['Description', 'Changed']}
      actions={<ActionButton name="agreement" isMain />}
      rowOf={({ id, limit, status, statusRaw, clientTransactionId, description, updatedAt }) => ({
        id,
        amount: limit,
        status,
        statusRaw,
        name: clientTransactionId,
        cells: [description],
        at: updatedAt,
      })}
    />
  )
}
