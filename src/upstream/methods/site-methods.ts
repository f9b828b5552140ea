export type SiteMethods<Method> = {
  /**
   * Starts a renewal where one is due. Gives a promise, which never rejects, when there is nothing to serve until it
   * ends; null when the caller need not, or cannot usefully, wait.
   */
  wake(): Promise<void> | null
  /** The list to serve now, or null. */
  current(): CurrentMethods<Method> | null
  /** Changes whenever `current` does. */
  stamp(): string
  /** Rises with every renewal that has ended, also in vain. */
  version(): number
  /** Changes only when the methods themselves do. */
  contentVersion(): number
}

type CurrentMethods<Method> = {
  readonly methods: readonly Method[]
  readonly fetchedAt: Date
  /** The last attempt to renew it failed, and its time to live is over. */
  readonly stale: boolean
  /** Its time to live is over, whether its renewal has failed or is still under way. */
  readonly expired: boolean
}

export type SiteMethodsOptions<Method> = {
  readonly load: () => Promise<readonly Method[]>
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly ttlMs: number
  readonly staleMs: number
}

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 60_000

type Loaded<Method> = { readonly methods: readonly Method[]; readonly at: number; readonly fetchedAt: Date }

/**
 * The method list of one site: one renewal at a time, and after a failed one a pause of 5 seconds that doubles up to a
 * minute, during which the payments API is left alone.
 */
export function createSiteMethods<Method>(options: SiteMethodsOptions<Method>): SiteMethods<Method> {
  const { load, clock, ttlMs, staleMs } = options
  let loaded: Loaded<Method> | null = null
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
      const methods = await load()
      if (loaded === null || !sameMethods(loaded.methods, methods)) content += 1
      // What is made of a method can then be kept for as long as the method is.
      for (const method of methods) Object.freeze(method)
      loaded = { methods, at: clock(), fetchedAt: new Date() }
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

  /** Cleared in a later turn, so that a load which fails at once does not clear it before it is set. */
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
