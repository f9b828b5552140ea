import type { Loaded } from './load-sharing.ts'

/** Values by key, each loaded on demand and cached. */
export type KeyedCache<Value> = {
  /**
   * Returns the value of a key; loads it if there is no fresh one, and no load of it has failed in the last second. Null if it cannot be
   * loaded. Never rejects. Calls `onStale` if loading failed, so that the result is old, or null.
   */
  get(key: string, load: () => Promise<Loaded<Value>>, onStale?: () => void): Promise<Value | null>
}

export type KeyedCacheOptions = {
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a value is returned without loading it again. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Age up to which a value is returned if loading fails. Default: one hour. */
  readonly staleMs?: number
  /** Pause after a load that failed. Default: one second. */
  readonly pauseMs?: number
  /** Maximum number of values. */
  readonly size?: number
}

const TTL_MS = 300_000
const STALE_MS = 3_600_000
const PAUSE_MS = 1_000
const SIZE = 1_000

type Entry<Value> = {
  /** Null if there is none, or none that is young enough. */
  readonly value: Value | null
  /** When the value was read. */
  readonly at: number
  /** When the last load failed; null if it succeeded. */
  readonly failedAt: number | null
}

/** Caches values that seldom change. Concurrent callers of one key share one load. */
export function createKeyedCache<Value>(options: KeyedCacheOptions = {}): KeyedCache<Value> {
  const {
    clock = () => performance.now(),
    ttlMs = TTL_MS,
    staleMs = STALE_MS,
    pauseMs = PAUSE_MS,
    size = SIZE,
  } = options
  const entries = new Map<string, Entry<Value>>()
  const loading = new Map<string, Promise<Entry<Value>>>()

  const renew = async (key: string, load: () => Promise<Loaded<Value>>): Promise<Entry<Value>> => {
    const entry = await load().then(
      ({ value, ageMs }) => ({ value, at: clock() - ageMs, failedAt: null }),
      () => ({ ...(entries.get(key) ?? { value: null, at: clock() }), failedAt: clock() }),
    )
    if (entries.size >= size && !entries.has(key)) entries.clear()
    entries.set(key, entry)
    return entry
  }

  const begin = (key: string, load: () => Promise<Loaded<Value>>): Promise<Entry<Value>> => {
    const started = renew(key, load)
    loading.set(key, started)
    // Registered before this runs, so that a load which fails at once is removed as well.
    return started.finally(() => loading.delete(key))
  }

  const isUsable = ({ at, failedAt }: Entry<Value>): boolean =>
    failedAt === null ? clock() - at <= ttlMs : clock() - failedAt < pauseMs

  return {
    async get(key, load, onStale) {
      const known = entries.get(key)
      const entry = known !== undefined && isUsable(known) ? known : await (loading.get(key) ?? begin(key, load))
      if (entry.failedAt !== null) onStale?.()
      return entry.failedAt === null || clock() - entry.at <= staleMs ? entry.value : null
    },
  }
}
