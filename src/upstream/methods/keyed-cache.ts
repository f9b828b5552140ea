/** Values by key, each loaded on demand and cached. */
export type KeyedCache<Value> = {
  /**
   * Returns the value of a key; loads it if there is no fresh one. Null if it cannot be loaded. Never rejects. Calls `onStale` if
   * loading failed, so that the result is old, or null.
   */
  get(key: string, load: () => Promise<Value>, onStale?: () => void): Promise<Value | null>
}

export type KeyedCacheOptions = {
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a value is returned without loading it again. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Age up to which a value is returned if loading fails. Default: one hour. */
  readonly staleMs?: number
  /** Maximum number of values. */
  readonly size?: number
}

const TTL_MS = 300_000
const STALE_MS = 3_600_000
const SIZE = 1_000

type Entry<Value> = { readonly value: Value; readonly at: number }
type Renewal<Value> = { readonly value: Value | null; readonly failed: boolean }

/** Caches values that seldom change. Concurrent callers of one key share one load. */
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
    // Registered before this runs, so that a load which fails at once is removed as well.
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
