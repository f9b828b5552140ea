import type { PaymentRowFragment } from '../generated/graphql.ts'
import { Amount } from '../pieces/amount.tsx'
import { Moment } from '../pieces/moment.tsx'
import { Status } from '../pieces/status.tsx'
import { Row, Table } from '../pieces/table.tsx'
import { hrefOf } from '../routes/route.ts'

const COLUMNS = ['Reference', 'Amount', 'Phase', 'Status', 'Method', 'Changed']

type Props = { readonly rows: readonly (PaymentRowFragment & { readonly foundBy?: string })[] }

/** A table with one row per payment; with what a search has found it by, if it has. */
export function PaymentTable({ rows }: Props) {
  const isFound = rows.some(({ foundBy }) => foundBy !== undefined)
  return (
    <Table caption="Payments" columns={isFound ? [...COLUMNS, 'Found by'] : COLUMNS}>
      {rows.map(({ id, reference, link, phase, statusRaw, provisional, amount, methodRaw, updatedAt, foundBy }) => (
        <Row key={id} href={hrefOf('payments', id)} name={reference ?? link?.reference ?? id}>
          <td class="number">
            <Amount of={amount} />
          </td>
          <td>
            <Status of={phase} />
          </td>
          <td>
            {statusRaw}
            {provisional && ' (being checked)'}
          </td>
          <td>{methodRaw ?? '–'}</td>
          <td>
            <Moment at={updatedAt} />
          </td>
          {isFound && <td>{foundBy}</td>}
        </Row>
      ))}
    </Table>
  )
}
