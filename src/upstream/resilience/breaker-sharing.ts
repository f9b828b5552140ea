import { randomUUID } from 'node:crypto'
import { releaseLease, type SharedState, takeLease } from '../../redis/shared-counts.ts'

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
  values[i] = redis.call('TYPE', key).ok == 'string' and redis.call('GETRANGE', key, 0, 64) or ''
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
      if (!Array.isArray(values)) return
      for (const [index, site] of sites.entries())
        // What was read before a change of our own is older than it.
        if (before[index] === site.changes) hear(site, String(values[index]))
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
      state.redis
        .run((commands) => commands.set(site.key, site.seen, 'PX', STATE_MS))
        .catch(() => {})
        // What was read meanwhile may be older.
        .finally(() => (site.changes += 1))
    },
    onTold: (listener) => void (site.listener = listener),
  }
}
