/** Values by key, each loaded once and kept for a while. */
export type KeyedCache<Value> = {
  /**
   * The value of a key; loads it where there is none that is fresh. Null when it cannot be had. Never rejects. Calls
   * `onStale` when it could not be loaded, so that what is given is old, or null.
   */
  get(key: string, load: () => Promise<Value>, onStale?: () => void): Promise<Value | null>
}

export type KeyedCacheOptions = {
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a value is given without asking again: 5 minutes unless told. */
  readonly ttlMs?: number
  /** Age up to which a value is given when it cannot be loaded again: an hour unless told. */
  readonly staleMs?: number
  /** How many values are kept. */
  readonly size?: number
}

const TTL_MS = 300_000
const STALE_MS = 3_600_000
const SIZE = 1_000

type Entry<Value> = { readonly value: Value; readonly at: number }
type Renewal<Value> = { readonly value: Value | null; readonly failed: boolean }

/** Keeps what is read once per thing and seldom changes. Concurrent callers of one key share one load. */
export function createKeyedCache<Value>(options: KeyedCacheOptions = {}): KeyedCache<Value> {
  const { clock = () => performance.now(), ttlMs = TTL_MS, staleMs = STALE_MS, size = SIZE } = options
  const entries = new Map<string, Entry<Value>>()
  const loading = new Map<string, Promise<Renewal<Value>>>()

  const renew = async (key: string, load: () => Promise<Value>): Promise<Renewal<Value>> => {
    try {
      const value = await load()
      if (entries.size >= size) entries.clear()
      entries.set(key, { value, at: clock() })
      return { value, failed: false }
    } catch {
      const old = entries.get(key)
      return { value: old !== undefined && clock() - old.at <= staleMs ? old.value : null, failed: true }
    }
  }

  const begin = (key: string, load: () => Promise<Value>): Promise<Renewal<Value>> => {
    const started = renew(key, load)
    loading.set(key, started)
    // After it is on record, also when the load fails at once.
    return started.finally(() => loading.delete(key))
  }

  return {
    async get(key, load, onStale) {
      const known = entries.get(key)
      if (known !== undefined && clock() - known.at <= ttlMs) return known.value
      const { value, failed } = await (loading.get(key) ?? begin(key, load))
      if (failed) onStale?.()
      return value
    },
  }
}
