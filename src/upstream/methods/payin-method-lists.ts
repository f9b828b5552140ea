import { mergedMethods, type PayinMethod, type PayinMethodUse } from '../../domain/methods/payin-method.ts'
import type { Sites } from '../client/sites.ts'
import { type FindMethod, type MethodCache, methodFinder, type MethodList } from './method-cache.ts'

/** A list that the payments API has not given, and of which nothing is cached. */
type MissingMethods = { readonly currency: string; readonly use: PayinMethodUse }

/** `unavailable` names the currencies of which either list is missing, `missing` which one. */
export type PayinMethodList = MethodList<PayinMethod> & { readonly missing: readonly MissingMethods[] }

export type PayinMethodLists = {
  /** As in `MethodCache`; the methods of both lists, merged by code. */
  list(currencies?: readonly string[]): PayinMethodList | Promise<PayinMethodList>
  readonly find: FindMethod<PayinMethod>
  readonly version: () => number
}

type PayinMethodListsOptions = {
  readonly link: MethodCache<PayinMethod>
  readonly direct: MethodCache<PayinMethod>
  readonly sites: Sites
}

/**
 * Merges the methods of links (v3) with those of direct payins (v2) by code. Each list is cached per site, so that the failure of one leaves
 * the other, and the renewal of one that could not be had before does not hold up the other.
 */
export function createPayinMethodLists({ link, direct, sites }: PayinMethodListsOptions): PayinMethodLists {
  const merge = keptByPair<readonly PayinMethod[], readonly PayinMethod[]>((linked, directly) =>
    Object.freeze(mergedMethods([linked, directly]).map((method) => Object.freeze(method))),
  )
  const combine = keptByPair<MethodList<PayinMethod>, PayinMethodList>((linked, directly) => {
    const missing = [
      ...linked.unavailable.map((currency) => ({ currency, use: 'LINK' }) as const),
      ...directly.unavailable.map((currency) => ({ currency, use: 'DIRECT' }) as const),
    ]
    return {
      methods: merge(linked.methods, directly.methods),
      fetchedAt: new Date(Math.min(linked.fetchedAt.getTime(), directly.fetchedAt.getTime())),
      stale: linked.stale || directly.stale,
      expired: linked.expired || directly.expired,
      unavailable: [...new Set(missing.map(({ currency }) => currency))].sort(),
      missing,
    }
  })
  const list = (currencies?: readonly string[]) => {
    const linked = link.list(currencies)
    const directly = direct.list(currencies)
    if (linked instanceof Promise && directly instanceof Promise)
      return Promise.all([linked, directly]).then((lists) => combine(...lists))
    const linkedNow = linked instanceof Promise ? link.known(currencies) : linked
    const directlyNow = directly instanceof Promise ? direct.known(currencies) : directly
    return linkedNow === null || directlyNow === null
      ? Promise.all([linked, directly]).then((lists) => combine(...lists))
      : combine(linkedNow, directlyNow)
  }

  return { list, find: methodFinder(sites, list), version: () => link.version() + direct.version() }
}

/** Returns the function with its results kept: the same two objects give the same result, so that values derived from it stay valid. */
function keptByPair<Input extends object, Result extends object>(
  make: (first: Input, second: Input) => Result,
): (first: Input, second: Input) => Result {
  const made = new WeakMap<Input, WeakMap<Input, Result>>()
  return (first, second) => {
    const withFirst = made.get(first) ?? new WeakMap<Input, Result>()
    made.set(first, withFirst)
    const known = withFirst.get(second) ?? make(first, second)
    withFirst.set(second, known)
    return known
  }
}

/** Values by key, each loaded on demand and cached. */
export type KeyedCache<Value> = {
  /**
   * Returns the value of a key, and renews it behind the answer once it is past its time to live. Loads it first if there is none, and no
   * load of it has failed in the last second. Null if it cannot be loaded. Never rejects. Calls `onStale` if the result is past its time
   * to live, or null.
   */
  get(key: string, load: () => Promise<Value>, onStale?: () => void): Promise<Value | null>
}

export type KeyedCacheOptions = {
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a value is returned without loading it again. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Age up to which a value is returned while it is loaded again, and if that fails. Default: one hour. */
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

  const renew = async (key: string, load: () => Promise<Value>): Promise<Entry<Value>> => {
    let entry: Entry<Value>
    try {
      entry = { value: await load(), at: clock(), failedAt: null }
    } catch {
      entry = { ...(entries.get(key) ?? { value: null, at: clock() }), failedAt: clock() }
    }
    if (entries.size >= size && !entries.has(key)) entries.clear()
    entries.set(key, entry)
    return entry
  }

  /** Starts a load, unless there is one, or one has failed a short time ago. It never rejects. */
  const renewed = (key: string, load: () => Promise<Value>): Promise<Entry<Value>> | null => {
    const failedAt = entries.get(key)?.failedAt ?? null
    if (failedAt !== null && clock() - failedAt < pauseMs) return null
    const running = loading.get(key)
    if (running !== undefined) return running
    const started = renew(key, load)
    loading.set(key, started)
    // Registered before this runs, so that a load which fails at once is removed as well.
    return started.finally(() => loading.delete(key))
  }

  const valueOf = (entry: Entry<Value> | undefined): Value | null =>
    entry !== undefined && clock() - entry.at <= staleMs ? entry.value : null

  return {
    async get(key, load, onStale) {
      const known = entries.get(key)
      if (known !== undefined && known.failedAt === null && clock() - known.at <= ttlMs) return known.value
      const renewal = renewed(key, load)
      const held = valueOf(known)
      if (held === null && renewal !== null) {
        const entry = await renewal
        if (entry.failedAt !== null) onStale?.()
        return valueOf(entry)
      }
      onStale?.()
      return held
    },
  }
}
