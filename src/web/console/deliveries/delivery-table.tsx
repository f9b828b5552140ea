import type { FeedEvent } from '../feed/log-changes.ts'
import { type DeliveryRowFragment, DeliveriesDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Row, Table, Waiting } from '../pieces/page.tsx'
import { Moment, momentText, Status } from '../pieces/values.tsx'
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

const MOST = 50

type SubjectProps = {
  readonly subjectId: string
  /** Which events come with a delivery. */
  readonly concerns: (event: FeedEvent) => boolean
}

/** The latest deliveries for one payment or agreement. */
export function DeliveriesOf({ subjectId, concerns }: SubjectProps) {
  const variables = { first: MOST, filter: { subjectIds: [subjectId] } }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <AnswerFailure of={answer} />
      {rows.length > 0 ? <DeliveryTable rows={rows} /> : <Waiting of={answer} what="deliveries" />}
      {list?.pageInfo.hasNextPage === true && (
        <a href={hrefOf('deliveries', null, { subject: subjectId })}>All of them</a>
      )}
    </section>
  )
}
