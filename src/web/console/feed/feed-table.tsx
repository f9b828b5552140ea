import { Component } from 'preact'
import { Amount } from '../pieces/amount.tsx'
import { eventText } from '../pieces/history.tsx'
import { Moment } from '../pieces/moment.tsx'
import { wordsOf } from '../pieces/status.tsx'
import { Row, Table } from '../pieces/table.tsx'
import { hrefOf } from '../routes/route.ts'
import type { FeedEvent } from './feed-state.ts'

const COLUMNS = ['About', 'Amount', 'When', 'What', 'By']

type RowProps = { readonly event: FeedEvent }

/** A table with one row per event. It is not a live region: screen readers would announce events without end. */
export function FeedTable({ rows }: { readonly rows: readonly FeedEvent[] }) {
  return (
    <Table caption="Events" columns={COLUMNS}>
      {rows.map((event) => (
        <EventRow key={event.id} event={event} />
      ))}
    </Table>
  )
}

/** A row never changes, so it does not re-render when a new row is added above it. */
class EventRow extends Component<RowProps> {
  override shouldComponentUpdate({ event }: RowProps): boolean {
    return event !== this.props.event
  }

  override render({ event }: RowProps) {
    return (
      <Row href={subjectHref(event)} name={subjectName(event)}>
        <td class="number">
          <Amount of={event.amount} />
        </td>
        <td>
          <Moment at={event.receivedAt} />
        </td>
        <td>{eventText(event)}</td>
        <td>{wordsOf(event.source)}</td>
      </Row>
    )
  }
}

function subjectName({ id, reference, paymentId, agreementId, linkId }: FeedEvent): string {
  return reference ?? paymentId ?? agreementId ?? linkId ?? id
}

function subjectHref({ kind, paymentId, agreementId, linkId }: FeedEvent): string {
  if (kind.startsWith('PAYOUT_')) return hrefOf('payouts')
  if (kind.startsWith('GATEWAY_PAYMENT_')) return hrefOf('gateway-payments')
  if (paymentId !== null) return hrefOf('payments', paymentId)
  if (agreementId !== null) return hrefOf('agreements', agreementId)
  return linkId === null ? hrefOf('agreements') : hrefOf('links', linkId)
}
