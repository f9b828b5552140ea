import { randomUUID } from 'node:crypto'
import { releaseLease, type SharedState, takeLease } from '../../redis/shared-counts.ts'

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
  /** Whether the next request is the probe. */
  isProbeDue(): boolean
  /** Puts the probe off, because another node is sending one. */
  postpone(): void
  /** Takes over a change of another node's breaker, unless the own probe is in progress, which decides by itself. */
  follow(state: 'open' | 'closed'): void
}

/** Longest wait for another node's probe, in milliseconds, before it is asked for again. */
const POSTPONE_MS = 1_000

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
  onChange: (state: BreakerState, cause: 'own' | 'followed') => void = () => undefined,
): Breaker {
  const settings = { ...SETTINGS, ...given }
  const { clock, openMs, share, least } = settings
  let state: BreakerState = 'closed'
  let openUntil = 0
  let generation = 0
  let underWay = 0
  let window = createWindow(settings)

  function become(next: BreakerState, cause: 'own' | 'followed' = 'own'): void {
    state = next
    generation += 1
    if (next === 'open') openUntil = clock() + openMs
    if (next === 'closed') window = createWindow(settings)
    onChange(next, cause)
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

  const isProbeDue = () => state === 'open' && clock() >= openUntil

  return {
    isProbeDue,
    postpone: () => {
      if (isProbeDue()) openUntil = clock() + Math.min(POSTPONE_MS, openMs)
    },
    follow: (told) => {
      if (state === 'half-open' || (told === 'closed' && state === 'closed')) return
      if (state === told) openUntil = clock() + openMs
      else become(told, 'followed')
    },
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

/** What nodes tell each other of the circuit breaker of one site. */
export type BreakerShare = {
  /** Resolves to whether this node may send the probe: no other node is sending one, or that cannot be known. */
  mayProbe(): Promise<boolean>
  /** Lets other nodes probe. */
  probeEnded(): void
  /** Tells the other nodes of a change. */
  tell(state: SharedBreakerState): void
  /** Sets the listener that is called when another node tells of a change. */
  onTold(listener: (state: SharedBreakerState) => void): void
}

export type SharedBreakerState = 'open' | 'closed'

export type BreakerSharing = {
  of(subject: string): BreakerShare
  close(): void
}

const LOOK_MS = 250
/** A change is heard of for so long: longer than a breaker is open, so that a node that starts in an outage learns of it. */
const STATE_MS = 10_000
/** A probe that has not ended by then is given up by the others; the payments API has ten seconds for its headers. */
const PROBE_MS = 10_000
const TOLD = /^(open|closed):[0-9a-f-]{36}$/

/** Returns the beginnings of texts, empty for other values. */
const LOOK = `
local values = {}
for i, key in ipairs(KEYS) do
  values[i] = redis.call('TYPE', key).ok == 'string' and redis.call('GETRANGE', key, 0, 255) or ''
end
return values`

type Site = { readonly key: string; seen: string; listener: (state: SharedBreakerState) => void; changes: number }

/**
 * Shares the states of circuit breakers through Redis: the last change, which the other nodes look at four times a second, and a lease for
 * the probe. Without Redis each node has its own state.
 */
export function shareBreakers(state: SharedState): BreakerSharing {
  const { redis } = state
  const sites: Site[] = []
  let looking = false

  const look = async (): Promise<void> => {
    if (looking || !redis.isConnected) return
    looking = true
    const before = sites.map(({ changes }) => changes)
    try {
      const keys = sites.map(({ key }) => key)
      const values = await redis.run((commands) => commands.eval(LOOK, keys.length, ...keys))
      const now = await state.now()
      if (!Array.isArray(values)) return
      for (const [index, site] of sites.entries())
        // What was read before a change of our own is older than it.
        if (before[index] === site.changes) hear(site, state.stamped(String(values[index]), site.key, now) ?? '')
    } catch {
      // Looked at again in the next round.
    } finally {
      looking = false
    }
  }
  const looks = setInterval(() => void look(), LOOK_MS)
  looks.unref()

  return {
    of(subject) {
      const site: Site = { key: state.keyOf('breaker', subject), seen: '', listener: () => {}, changes: 0 }
      sites.push(site)
      return shareOf(state, site, state.keyOf('probe', subject))
    },
    close: () => clearInterval(looks),
  }
}

function hear(site: Site, value: string): void {
  const told = TOLD.exec(value)?.[1]
  if (told === undefined || value === site.seen) return
  site.seen = value
  site.listener(told === 'open' ? 'open' : 'closed')
}

function shareOf(state: SharedState, site: Site, lease: string): BreakerShare {
  const node = randomUUID()
  return {
    mayProbe: () => takeLease(state, lease, node, PROBE_MS).catch(() => true),
    probeEnded: () => releaseLease(state, lease, node),
    tell(change) {
      site.seen = `${change}:${randomUUID()}`
      site.changes += 1
      const { seen, key } = site
      state
        .now()
        .then((now) =>
          state.redis.run((commands) => commands.set(key, state.stamp(seen, key, now + STATE_MS), 'PX', STATE_MS)),
        )
        .catch(() => {})
        // What was read meanwhile may be older.
        .finally(() => (site.changes += 1))
    },
    onTold: (listener) => void (site.listener = listener),
  }
}
