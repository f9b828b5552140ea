import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Begin, Status, Time } from '../parts/small.tsx'

/** The refunds and the simulated deposits. */
export function Deposits() {
  const { state } = usePage().snapshot
  const refunded = [...state.links, ...state.payins, ...state.gatewayPayments].filter(({ refund }) => refund !== null)
  return (
    <>
      <Table
        caption="Refunds among what is listed as links, payins and gateway payments"
        head={['Payment of', 'Status', 'Asked for', 'Paid back']}
        rows={refunded}
        keyOf={({ uuid }) => uuid}
        empty={<p>Nothing was paid back. Ask for it with your application, or set a refund status of a payment.</p>}
        cells={({ uuid, status, refund, currency }) => [
          <code>{uuid}</code>,
          <Status status={status} />,
          `${refund?.requested} ${currency}`,
          `${refund?.refunded} ${currency}`,
        ]}
      />
      <Table
        caption="Deposits, newest first"
        head={['At', 'Site', 'Amount']}
        rows={state.deposits}
        keyOf={({ at, siteId }, index) => `${at} ${siteId} ${index}`}
        empty={<Begin what="deposits" example="deposits" />}
        cells={({ at, siteId, amount, currency }) => [<Time at={at} />, siteId, `${amount} ${currency}`]}
      />
    </>
  )
}
