import type { Loaded } from './keyed-cache.ts'

export type SiteMethods<Method> = {
  /**
   * Starts a renewal if one is due. Returns a promise, which never rejects, if there is no list to serve until it ends; null if
   * the caller need not wait, or waiting would not help.
   */
  wake(): Promise<void> | null
  /** Returns the list to serve now, or null. */
  current(): CurrentMethods<Method> | null
  /** Changes whenever `current` does. */
  stamp(): string
  /** Increases with every renewal that ends, whether it succeeded or failed. */
  version(): number
  /** Changes only when the methods themselves do. */
  contentVersion(): number
}

type CurrentMethods<Method> = {
  readonly methods: readonly Method[]
  readonly fetchedAt: Date
  /** The last renewal failed, and the time to live is over. */
  readonly stale: boolean
  /** The time to live is over, because the renewal failed or is still in progress. */
  readonly expired: boolean
}

export type SiteMethodsOptions<Method> = {
  readonly load: () => Promise<Loaded<readonly Method[]>>
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly ttlMs: number
  readonly staleMs: number
}

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 60_000

type Kept<Method> = { readonly methods: readonly Method[]; readonly at: number; readonly fetchedAt: Date }

/**
 * The method list of one site: one renewal at a time, and after a failed one a pause of 5 seconds that doubles up to a minute,
 * during which no renewal is tried.
 */
export function createSiteMethods<Method>(options: SiteMethodsOptions<Method>): SiteMethods<Method> {
  const { load, clock, ttlMs, staleMs } = options
  let loaded: Kept<Method> | null = null
  let failures = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  let version = 0
  let content = 0

  function age(): number {
    return loaded === null ? Number.POSITIVE_INFINITY : clock() - loaded.at
  }

  async function renew(): Promise<void> {
    try {
      const { value: methods, ageMs } = await load()
      if (loaded === null || !sameMethods(loaded.methods, methods)) content += 1
      // Frozen, so that values derived from a method can be cached per method object.
      for (const method of methods) Object.freeze(method)
      loaded = { methods, at: clock() - ageMs, fetchedAt: new Date(Date.now() - ageMs) }
      failures = 0
    } catch {
      failures += 1
      pausedUntil = clock() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
    } finally {
      version += 1
    }
  }

  function lateness(): { readonly stale: boolean; readonly expired: boolean } {
    const expired = age() > ttlMs
    return { stale: expired && failures > 0, expired }
  }

  /** Cleared asynchronously, so that a load which fails at once is not cleared before it is set. */
  function ended(renewal: Promise<void>): Promise<void> {
    return renewal.finally(() => {
      running = null
    })
  }

  return {
    wake: () => {
      if (age() <= ttlMs) return null
      if (running === null && clock() >= pausedUntil) running = ended(renew())
      return age() > staleMs ? running : null
    },
    current: () =>
      loaded === null || age() > staleMs
        ? null
        : { methods: loaded.methods, fetchedAt: loaded.fetchedAt, ...lateness() },
    stamp: () => `${version}${age() > staleMs ? '-' : age() > ttlMs ? '~' : ''}`,
    version: () => version,
    contentVersion: () => content,
  }
}

function sameMethods(before: readonly unknown[], after: readonly unknown[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
