import type { EventPartsFragment } from '../generated/graphql.ts'
import { Moment } from './moment.tsx'
import { wordsOf } from './status.tsx'
import { Timeline } from './timeline.tsx'

type Props = {
  readonly events: readonly EventPartsFragment[]
  /** False where there are more events than are shown. */
  readonly isWhole: boolean
}

/** How something came about: a picture of its events, and the same as a list. */
export function History({ events, isWhole }: Props) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Timeline events={events} />
      <ol class="events" aria-label="Events">
        {events.map((event) => (
          <li key={event.id} value={event.sequence}>
            <Moment at={event.receivedAt} />: {eventText(event)}{' '}
            <span class="quiet">(by {wordsOf(event.source).toLowerCase()})</span>
          </li>
        ))}
      </ol>
      {!isWhole && <p class="quiet">There are more events than the first {events.length}.</p>}
    </section>
  )
}

/** What an event says, in a few words. */
export function eventText({
  kind,
  fromStatus,
  toStatus,
}: Pick<EventPartsFragment, 'kind' | 'fromStatus' | 'toStatus'>) {
  if (toStatus === null || fromStatus === toStatus) return wordsOf(kind)
  return fromStatus === null ? `${wordsOf(kind)}: ${toStatus}` : `${wordsOf(kind)}: ${fromStatus} → ${toStatus}`
}
