import type { EventPartsFragment } from '../generated/graphql.ts'
import { type AmountValue, amountText } from './amount.tsx'
import { Moment } from './moment.tsx'
import { wordsOf } from './status.tsx'
import { Timeline } from './timeline.tsx'

type HistoryEvent = EventPartsFragment & {
  /** The refund that the event shows, of an event of a payment. */
  readonly refund?: { readonly state: string; readonly amount: AmountValue | null } | null
}

type Props = {
  readonly events: readonly HistoryEvent[]
  /** False when there are more events than are shown. */
  readonly isWhole: boolean
}

/** The history of a subject: a diagram of its events, and the same events as a list. */
export function History({ events, isWhole }: Props) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Timeline events={events} />
      <ol class="events" aria-label="Events">
        {events.map((event) => (
          <li key={event.id} value={event.sequence}>
            <Moment at={event.receivedAt} />: {eventText(event)}
            {event.refund != null && refundText(event.refund)}{' '}
            <span class="quiet">(by {wordsOf(event.source).toLowerCase()})</span>
          </li>
        ))}
      </ol>
      {!isWhole && <p class="quiet">There are more events than the first {events.length}.</p>}
    </section>
  )
}

function refundText({ state, amount }: NonNullable<HistoryEvent['refund']>): string {
  const what = amount === null ? 'refund' : `refund of ${amountText(amount)}`
  return `, ${what} ${wordsOf(state).toLowerCase()}`
}

/** Returns a short text for an event. */
export function eventText({
  kind,
  fromStatus,
  toStatus,
}: Pick<EventPartsFragment, 'kind' | 'fromStatus' | 'toStatus'>) {
  if (toStatus === null || fromStatus === toStatus) return wordsOf(kind)
  return fromStatus === null ? `${wordsOf(kind)}: ${toStatus}` : `${wordsOf(kind)}: ${fromStatus} → ${toStatus}`
}
