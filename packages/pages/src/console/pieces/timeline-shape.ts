/** An event as the timeline diagram needs it. */
export type TimelineEvent = {
  readonly id: string
  readonly kind: string
  readonly receivedAt: string
  readonly toStatus: string | null
}

export type Mark = { readonly id: string; readonly x: number; readonly lane: number; readonly at: number }

export type TimelineShape = {
  /** Names of the lanes from top to bottom: statuses in order of appearance. */
  readonly lanes: readonly string[]
  readonly marks: readonly Mark[]
}

/** Minimum distance between two marks, so that each is visible; the rest of the axis is proportional to time. */
const LEAST_GAP = 16

/**
 * Computes the positions of events on an axis of a given width: by time, with a minimum distance between marks. An event
 * without a status uses the lane of the status before it, or a lane for its kind.
 */
export function timelineShape(events: readonly TimelineEvent[], width: number): TimelineShape {
  const names = laneNames(events)
  const lanes = [...new Set(names)]
  const times = events.map(({ receivedAt }) => Date.parse(receivedAt))
  const xs = placesOf(times, width)
  const marks = events.map(({ id }, index) => ({
    id,
    x: xs[index] ?? 0,
    lane: lanes.indexOf(names[index] ?? ''),
    at: times[index] ?? 0,
  }))
  return { lanes, marks }
}

function laneNames(events: readonly TimelineEvent[]): string[] {
  const names: string[] = []
  for (const { kind, toStatus } of events) {
    const unnamed = kind === 'LINK_CREATED' ? 'link created' : kind === 'LINK_EXPIRED' ? 'link expired' : undefined
    names.push(toStatus ?? unnamed ?? names.at(-1) ?? kind)
  }
  return names
}

/** Distributes the width that the minimum distances leave over the gaps, in proportion to their durations. */
function placesOf(times: readonly number[], width: number): number[] {
  const gaps = times.slice(1).map((time, index) => Math.max(0, time - (times[index] ?? time)))
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  const least = Math.min(LEAST_GAP, width / Math.max(1, gaps.length))
  const shared = width - least * gaps.length
  const places = [0]
  for (const gap of gaps) places.push((places.at(-1) ?? 0) + least + (whole === 0 ? 0 : (gap / whole) * shared))
  return places
}
