/** The histories of one kind of subject at the payments API, and how its callbacks and reads are decided. */
export type Kind<Sent, State> = {
  /** The first callback. */
  readonly first: Sent
  /** Returns the callbacks that can follow one. */
  next(sent: Sent): readonly Sent[]
  receive(state: State | null, sent: Sent, repeat: boolean): { readonly state: State | null; readonly confirm: boolean }
  read(state: State | null, sent: Sent): State | null
  /** Returns whether a state is certain, and that of a callback. */
  shows(state: State | null, sent: Sent): boolean
  /** Returns what of a state decides about what comes later. */
  keyOf(state: State): string
}

/** A moment: index of the current callback at the payments API, number of arrivals of each, and the stored subject. */
type Moment<State> = {
  readonly truth: number
  readonly arrivals: readonly number[]
  readonly state: State | null
  /** A read is due and not yet answered. */
  readonly readDue: boolean
}

/** Visits every order of every history up to a length, with a number of repeats; otherwise as `wrongEnds`. */
export function allWrongEnds<Sent, State>(kind: Kind<Sent, State>, length: number, repeats: number) {
  const grow = (history: readonly Sent[]): (readonly Sent[])[] => {
    const steps = history.length < length ? kind.next(history.at(-1) ?? kind.first) : []
    return [history, ...steps.flatMap((step) => grow([...history, step]))]
  }
  const ends = grow([kind.first]).map((history) => wrongEnds(kind, history, repeats))
  return { moments: ends.reduce((sum, { moments }) => sum + moments, 0), wrong: ends.flatMap(({ wrong }) => wrong) }
}

/**
 * Visits all reachable moments: the payments API advances, a callback arrives (again), or the due read is answered. Returns their number, and
 * those at rest whose subject differs from the payments API's. Equal callbacks have the same bytes.
 */
export function wrongEnds<Sent, State>(kind: Kind<Sent, State>, history: readonly Sent[], repeats: number) {
  const texts = history.map((sent) => JSON.stringify(sent))
  const at = (event: number): Sent => history[event] ?? kind.first
  const arrive = (moment: Moment<State>, event: number): Moment<State> => {
    const { arrivals, readDue } = moment
    const repeat = arrivals.some((count, other) => count > 0 && texts[other] === texts[event])
    const { state, confirm } = kind.receive(moment.state, at(event), repeat)
    return { ...moment, arrivals: arrivals.with(event, (arrivals[event] ?? 0) + 1), state, readDue: readDue || confirm }
  }
  const followers = (moment: Moment<State>): Moment<State>[] => {
    const { truth, arrivals, state, readDue } = moment
    const next = truth < history.length - 1 ? [{ ...moment, truth: truth + 1 }] : []
    const repeated = arrivals.reduce((sum, count) => sum + Math.max(count - 1, 0), 0)
    for (const [event, count] of arrivals.entries())
      if (event <= truth && (count === 0 || repeated < repeats)) next.push(arrive(moment, event))
    if (readDue) next.push({ ...moment, state: kind.read(state, at(truth)), readDue: false })
    return next
  }
  const visited = new Set<string>()
  const wrong: string[] = []
  const queue: Moment<State>[] = [{ truth: 0, arrivals: history.map(() => 0), state: null, readDue: false }]
  for (let moment = queue.pop(); moment !== undefined; moment = queue.pop()) {
    const { truth, arrivals, state, readDue } = moment
    const key = `${truth} ${arrivals.join('')} ${readDue} ${state === null ? '-' : kind.keyOf(state)}`
    if (visited.has(key)) continue
    visited.add(key)
    const isAtRest = truth === history.length - 1 && !readDue && arrivals.every((count) => count > 0)
    if (isAtRest && !kind.shows(state, at(truth))) wrong.push(`${texts.join()}: ${key}`)
    queue.push(...followers(moment))
  }
  return { moments: visited.size, wrong }
}
