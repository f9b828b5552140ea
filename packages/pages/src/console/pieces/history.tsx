import { useId } from 'preact/hooks'
import type { EventPartsFragment } from '../generated/graphql.ts'
import { timelineShape, type Mark, type TimelineEvent } from './timeline-shape.ts'
import { type AmountValue, amountText, Moment, wordsOf, durationText, timeText } from './values.tsx'

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

const WIDTH = 640
const LABELS = 150
const LANE = 28
const TOP = 12
const AXIS = 34
const RIGHT = 24

/** A diagram of events over time, with one lane per status. The list below it shows the same events as text. */
function Timeline({ events }: { readonly events: readonly TimelineEvent[] }) {
  const title = useId()
  if (events.length === 0) return null
  const { lanes, marks } = timelineShape(events, WIDTH - LABELS - RIGHT)
  const bottom = TOP + lanes.length * LANE
  return (
    <div class="scroll" role="group" aria-label="History chart" tabIndex={0}>
      <svg class="timeline" viewBox={`0 0 ${WIDTH} ${bottom + AXIS}`} role="img" aria-labelledby={title}>
        <title id={title}>{`${events.length} events, as in the list below`}</title>
        {lanes.map((lane, index) => (
          <g key={lane}>
            <text x={0} y={middleOf(index)} class="lane">
              {lane}
            </text>
            <line class="track" x1={LABELS} x2={WIDTH} y1={middleOf(index)} y2={middleOf(index)} />
          </g>
        ))}
        <path class="way" d={wayOf(marks)} />
        {marks.map(({ id, x, lane }, index) => (
          <circle
            key={id}
            class={index === marks.length - 1 ? 'mark last' : 'mark'}
            cx={LABELS + x}
            cy={middleOf(lane)}
            r={6}
          />
        ))}
        <Axis marks={marks} y={bottom} />
      </svg>
    </div>
  )
}

function Axis({ marks, y }: { readonly marks: readonly Mark[]; readonly y: number }) {
  const [first, last] = [marks.at(0), marks.at(-1)]
  if (first === undefined || last === undefined) return null
  return (
    <>
      <line class="axis" x1={LABELS} x2={WIDTH} y1={y} y2={y} />
      <text x={LABELS} y={y + 20}>
        {timeText(first.at)}
      </text>
      {marks.length > 1 && (
        <text x={WIDTH} y={y + 20} class="end">
          {`${timeText(last.at)} (${durationText(last.at - first.at)} later)`}
        </text>
      )}
    </>
  )
}

function wayOf(marks: readonly Mark[]): string {
  return marks
    .map(({ x, lane }, index) =>
      index === 0 ? `M${LABELS + x} ${middleOf(lane)}` : `H${LABELS + x}V${middleOf(lane)}`,
    )
    .join('')
}

function middleOf(lane: number): number {
  return TOP + lane * LANE + LANE / 2
}
