import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Begin, Status, Time } from '../parts/small.tsx'

/** The payment agreements. */
export function Agreements() {
  const { snapshot, open } = usePage()
  return (
    <Table
      caption="Payment agreements, newest first"
      head={['Id', 'Merchant’s id', 'Limit', 'Status', 'Next step', 'Created', 'Actions']}
      rows={snapshot.state.agreements}
      keyOf={({ id }) => String(id)}
      empty={<Begin what="agreements" example="agreements" />}
      cells={(agreement) => [
        <code>{agreement.paymentAgreementId}</code>,
        agreement.clientTransactionId,
        agreement.limitAmount,
        <Status status={agreement.status} />,
        <Time at={agreement.nextStepAt} />,
        <Time at={agreement.createdAt} />,
        <button
          type="button"
          onClick={() =>
            open({
              kind: 'agreements',
              id: String(agreement.id),
              webhookSubject: agreement.paymentAgreementId,
              title: `Change ${agreement.paymentAgreementId}`,
            })
          }
        >
          Change<span class="visually-hidden"> {agreement.paymentAgreementId}</span>
        </button>,
      ]}
    />
  )
}
