import { Component } from 'preact'
import { Choices, chosenOf, FilterForm } from '../pieces/filter-form.tsx'
import { eventText } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Row, Table } from '../pieces/page.tsx'
import { Amount, wordsOf } from '../pieces/values.tsx'
import { type Route, hrefOf } from '../routes/route.ts'
import { EVENT_KINDS, MOST_EVENTS, shownOf, type FeedEvent } from './log-changes.ts'
import type { LiveFeed } from './use-feed.ts'

type Props = { readonly route: Route; readonly feed: LiveFeed }

/** The newest events, then each as it happens, newest first, with filters, pause and resume. */
export function Feed({ route, feed }: Props) {
  const { params } = route
  const rows = shownOf(feed.shown, chosenOf(params, 'kind', EVENT_KINDS))
  return (
    <Page title="Live events">
      <FilterForm route={route} label="Events">
        <Choices name="kind" label="Kind" params={params} values={EVENT_KINDS} />
      </FilterForm>
      <div class="actions">
        <button class="button" type="button" onClick={feed.isPaused ? feed.goOn : feed.pause}>
          {feed.isPaused ? `Continue (${feed.held} held back)` : 'Pause'}
        </button>
        <button class="button" type="button" onClick={feed.clear}>
          Clear the list
        </button>
      </div>
      {feed.problem !== null && (
        <div class="note-block fault" role="alert">
          <p>Events do not come in any more: {feed.problem}</p>
          <button class="button" type="button" onClick={feed.tryAgain}>
            Try again
          </button>
        </div>
      )}
      {feed.hasGap && (
        <p class="note-block look" role="status">
          The log starts after the last event of this list, so some events may be missing.
        </p>
      )}
      {rows.length === 0 ? (
        <p class="note">
          {feed.connection === 'connecting' ? 'Reading events …' : 'No events yet. New events appear here.'}
        </p>
      ) : (
        <FeedTable rows={rows} />
      )}
      {rows.length >= MOST_EVENTS && <p class="note">The newest {MOST_EVENTS} are shown.</p>}
    </Page>
  )
}

const COLUMNS = ['Subject', 'Amount', 'Time', 'Event', 'Source']

type RowProps = { readonly event: FeedEvent }

/** A table with one row per event. It is not a live region: screen readers would announce events without end. */
function FeedTable({ rows }: { readonly rows: readonly FeedEvent[] }) {
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
