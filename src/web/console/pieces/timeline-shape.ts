/** An event as the picture needs it. */
export type TimelineEvent = {
  readonly id: string
  readonly kind: string
  readonly receivedAt: string
  readonly toStatus: string | null
}

export type Mark = { readonly id: string; readonly x: number; readonly lane: number; readonly at: number }

export type TimelineShape = {
  /** Names of the lanes, from the top down: statuses in the order in which they came. */
  readonly lanes: readonly string[]
  readonly marks: readonly Mark[]
}

/** Two marks have at least so much between them, so that each can be seen; the rest of the axis is true to time. */
const LEAST_GAP = 16

/**
 * Where the events lie on an axis of a width: by their time, apart from those that would lie on each other. What names no
 * status has the lane of the status before it, or of its kind.
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
    const unnamed = kind === 'LINK_CREATED' ? 'link made' : kind === 'LINK_EXPIRED' ? 'link expired' : undefined
    names.push(toStatus ?? unnamed ?? names.at(-1) ?? kind)
  }
  return names
}

/** The gaps share what the least ones leave of the width, by their lengths. */
function placesOf(times: readonly number[], width: number): number[] {
  const gaps = times.slice(1).map((time, index) => Math.max(0, time - (times[index] ?? time)))
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  const least = Math.min(LEAST_GAP, width / Math.max(1, gaps.length))
  const shared = width - least * gaps.length
  const places = [0]
  for (const gap of gaps) places.push((places.at(-1) ?? 0) + least + (whole === 0 ? 0 : (gap / whole) * shared))
  return places
}
