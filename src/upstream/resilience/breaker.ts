/**
 * What a finished request says about the payments API: `sound`: it answers; `trouble`: it failed; `silent`: nothing, because it
 * was not called.
 */
export type CallResult = 'sound' | 'trouble' | 'silent'

export type BreakerState = 'closed' | 'open' | 'half-open'

export type BreakerSettings = {
  /** Length of the rolling window in milliseconds. */
  readonly windowMs: number
  /** Share of troubled requests, from 0 to 1, at which the breaker opens. */
  readonly share: number
  /** Minimum number of requests in the window before the share counts. */
  readonly least: number
  /** Milliseconds from opening to the probe. */
  readonly openMs: number
  /** Monotonic milliseconds. */
  readonly clock: () => number
}

export type Breaker = {
  /** Milliseconds until a request is let through; 0 for now. */
  closedOffMs(): number
  /** Lets a request through and returns a function to call once with its result; null if the request is rejected. */
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
 * Circuit breaker: opens when the share of troubled requests within a rolling window is too high, lets one probe through after a
 * while, and closes when the probe is answered. Requests that began before a state change do not count after it.
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
      // The probe was never sent, so the next request becomes the probe.
      else state = 'open'
      return
    }
    if (result === 'silent') return
    window.add(result)
    const { total, trouble } = window.sums()
    // Errors may arrive sooner than answers: requests in progress are counted as if they will all be answered.
    if (total >= least && trouble >= (total + underWay) * share) become('open')
  }

  return {
    closedOffMs: () => {
      if (state === 'closed') return 0
      // The duration of the probe is unknown.
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

/** Number of parts of the window; the window is accurate to one part. */
const PARTS = 10

/** Counts the results of the requests within a rolling window, in parts of it. */
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
