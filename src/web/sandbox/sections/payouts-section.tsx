import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Begin, Status, Time } from '../parts/small.tsx'

/** The payouts. */
export function Payouts() {
  const { snapshot, open } = usePage()
  return (
    <Table
      caption="Payouts, newest first"
      head={[
        'Id',
        'Reference',
        'Description',
        'Total',
        'Method',
        'Status',
        'Transactions',
        'Next step',
        'Created',
        'Actions',
      ]}
      rows={snapshot.state.payouts}
      keyOf={({ uuid }) => uuid}
      empty={<Begin what="payouts" example="payouts" />}
      cells={(payout) => [
        <>
          <code>{payout.uuid}</code>
          {payout.number !== null && ` (v1, number ${payout.number})`}
        </>,
        payout.externalId,
        payout.description,
        `${payout.totalAmount} ${payout.currency}`,
        payout.methodCode,
        <Status status={payout.status} detail={payout.errorCode} />,
        <ul class="plain">
          {payout.transactions.map(({ uuid, amount, status }) => (
            <li key={uuid}>
              {amount}: <Status status={status} />
            </li>
          ))}
        </ul>,
        <Time at={payout.nextStepAt} />,
        <Time at={payout.createdAt} />,
        <button
          type="button"
          onClick={() =>
            open({
              kind: 'payouts',
              id: payout.uuid,
              webhookSubject: payout.uuid,
              title: `Change payout ${payout.uuid}`,
            })
          }
        >
          Change<span class="visually-hidden"> payout {payout.uuid}</span>
        </button>,
      ]}
    />
  )
}
