import type { DeliveryRowFragment } from '../generated/graphql.ts'
import { Moment, momentText } from '../pieces/moment.tsx'
import { Status } from '../pieces/status.tsx'
import { Row, Table } from '../pieces/table.tsx'
import { hrefOf } from '../routes/route.ts'
import { quarantineText } from './delivery-text.ts'

const COLUMNS = ['First came', 'Disposition', 'Status', 'Attempts', 'Last came', 'About']

/** A table with one row per delivery. */
export function DeliveryTable({ rows }: { readonly rows: readonly DeliveryRowFragment[] }) {
  return (
    <Table caption="Deliveries" columns={COLUMNS}>
      {rows.map((delivery) => (
        <Row
          key={delivery.id}
          href={hrefOf('deliveries', delivery.id)}
          name={momentText(Date.parse(delivery.firstReceivedAt))}
        >
          <td>
            <Status of={delivery.disposition} />
            {delivery.quarantineReason !== null && (
              <>
                <br />
                {quarantineText(delivery.quarantineReason)}
              </>
            )}
          </td>
          <td>{delivery.statusRaw ?? '–'}</td>
          <td class="number">{delivery.attempts}</td>
          <td>
            <Moment at={delivery.lastReceivedAt} />
          </td>
          <td>
            <Subject of={delivery} />
          </td>
        </Row>
      ))}
    </Table>
  )
}

/** The payment or agreement that a delivery is about. */
export function Subject({ of: { subjectId, payment, agreement } }: { readonly of: DeliveryRowFragment }) {
  if (payment !== null) return <a href={hrefOf('payments', payment.id)}>{payment.id}</a>
  if (agreement !== null) return <a href={hrefOf('agreements', agreement.id)}>{agreement.id}</a>
  return <>{subjectId ?? '–'}</>
}
