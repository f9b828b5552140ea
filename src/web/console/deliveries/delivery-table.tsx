import type { DeliveryRowFragment } from '../generated/graphql.ts'
import { Moment, momentText } from '../pieces/moment.tsx'
import { Status } from '../pieces/status.tsx'
import { Row, Table } from '../pieces/table.tsx'
import { hrefOf } from '../routes/route.ts'
import { adviceFor, quarantineText } from './delivery-text.ts'

const COLUMNS = ['First came', 'Disposition', 'Status', 'Attempts', 'Last came', 'About']

type Props = {
  readonly rows: readonly DeliveryRowFragment[]
  /** Whether to say why each needs a person, and what to do. */
  readonly withAdvice?: boolean
}

/** A table with one row per delivery. */
export function DeliveryTable({ rows, withAdvice = false }: Props) {
  return (
    <Table caption="Deliveries" columns={withAdvice ? [...COLUMNS, 'What to do'] : COLUMNS}>
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
          {withAdvice && <td class="text">{adviceFor(delivery)}</td>}
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
