/** What the end of a request tells of the payments API: it answers, it is in trouble, or nothing, as it was not asked. */
export type CallResult = 'sound' | 'trouble' | 'silent'

export type BreakerState = 'closed' | 'open' | 'half-open'

export type BreakerSettings = {
  /** Milliseconds for which the end of a request counts. */
  readonly windowMs: number
  /** Share of the requests in trouble, from 0 to 1, at which it opens. */
  readonly share: number
  /** Requests that ended within the window below which no share is believed. */
  readonly least: number
  /** Milliseconds from its opening to the probe. */
  readonly openMs: number
  /** Monotonic milliseconds. */
  readonly clock: () => number
}

export type Breaker = {
  /** Milliseconds for which requests are turned away; 0 when one would be let through now. */
  closedOffMs(): number
  /** Lets a request through, and gives what must be told, once, how it ended; null when it is turned away. */
  enter(): ((result: CallResult) => void) | null
}

const SETTINGS: BreakerSettings = {
  windowMs: 30_000,
  share: 0.5,
  least: 20,
  openMs: 5_000,
  clock: () => performance.now(),
}

/**
 * Keeps requests from a service that is in trouble anyway: it opens when enough of the requests within a rolling window
 * met trouble, lets one through after a while, and closes when that one is answered. What was under way before a change
 * tells nothing of the time after it.
 */
export function createBreaker(
  given: Partial<BreakerSettings> = {},
  onChange: (state: BreakerState) => void = () => undefined,
): Breaker {
  const settings = { ...SETTINGS, ...given }
  const { clock, openMs, share, least } = settings
  let state: BreakerState = 'closed'
  let openUntil = 0
  let generation = 0
  let underWay = 0
  let window = createWindow(settings)

  function become(next: BreakerState): void {
    state = next
    generation += 1
    if (next === 'open') openUntil = clock() + openMs
    if (next === 'closed') window = createWindow(settings)
    onChange(next)
  }

  function ended(probe: boolean, result: CallResult): void {
    if (probe) {
      if (result !== 'silent') become(result === 'sound' ? 'closed' : 'open')
      // The probe never left, so the next request is another one.
      else state = 'open'
      return
    }
    if (result === 'silent') return
    window.add(result)
    const { total, trouble } = window.sums()
    // Errors are told sooner than answers: those that are still under way may all be answered.
    if (total >= least && trouble >= (total + underWay) * share) become('open')
  }

  return {
    closedOffMs: () => {
      if (state === 'closed') return 0
      // How long the probe takes nobody knows.
      return state === 'half-open' ? openMs : Math.max(openUntil - clock(), 0)
    },
    enter: () => {
      const probe = state !== 'closed'
      if (state === 'half-open' || (state === 'open' && clock() < openUntil)) return null
      if (probe) become('half-open')
      const entered = generation
      underWay += 1
      return (result) => {
        underWay -= 1
        if (entered === generation) ended(probe, result)
      }
    },
  }
}

type Sums = { readonly total: number; readonly trouble: number }

/** Parts of the window: a request counts for its length, give or take one of them. */
const PARTS = 10

/** The ends of the requests within a rolling window, added up by parts of it. */
function createWindow({ windowMs, clock }: Pick<BreakerSettings, 'windowMs' | 'clock'>) {
  const partMs = windowMs / PARTS
  let parts: { part: number; total: number; trouble: number }[] = []

  return {
    add: (result: CallResult): void => {
      const part = Math.floor(clock() / partMs)
      const last = parts.at(-1)
      const current = last?.part === part ? last : { part, total: 0, trouble: 0 }
      if (current !== last) parts.push(current)
      current.total += 1
      if (result === 'trouble') current.trouble += 1
    },
    sums: (): Sums => {
      const oldest = Math.floor(clock() / partMs) - PARTS
      parts = parts.filter(({ part }) => part > oldest)
      return parts.reduce((sums, part) => ({ total: sums.total + part.total, trouble: sums.trouble + part.trouble }), {
        total: 0,
        trouble: 0,
      })
    },
  }
}
