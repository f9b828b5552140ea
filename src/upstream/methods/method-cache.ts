import { parseMethodCode } from '../../domain/methods/payin-method.ts'
import type { Site, Sites } from '../client/sites.ts'

/** An entry of a method list: a code, and the one currency in which the method collects or pays out. */
export type ListedMethod = { readonly code: string; readonly currency: string }

export type MethodCacheOptions<Method> = {
  readonly load: (site: Site) => Promise<readonly Method[]>
  readonly sites: Sites
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a list is served without a new call. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Age up to which a list is served if the payments API does not answer. Default: one hour. */
  readonly staleMs?: number
}

export type MethodList<Method> = {
  /** Frozen; the same array object as long as nothing in it has changed. */
  readonly methods: readonly Method[]
  /** When the oldest part of the list was read from the payments API. */
  readonly fetchedAt: Date
  /** Whether a part is past its time to live because the payments API failed. */
  readonly stale: boolean
  /** Whether a part is past its time to live, because its renewal failed or is still in progress. */
  readonly expired: boolean
  /** Currencies whose site did not answer and has no cached list. */
  readonly unavailable: readonly string[]
}

export type MethodCache<Method> = {
  /**
   * Returns the methods of the given currencies, or of all; a promise, which never rejects, if a site has not been asked yet, or if no site
   * has a list. A list that could not be had before is renewed behind the answer, where there is another to answer with.
   */
  list(currencies?: readonly string[]): MethodList<Method> | Promise<MethodList<Method>>
  /** Returns what is known of them now, also nothing; null if a site has not been asked yet. Makes no call to the payments API. */
  known(currencies?: readonly string[]): MethodList<Method> | null
  /**
   * Returns the method with that code; null if no site is known to offer it. Never rejects. Calls `onStale` if the lists used are
   * not current.
   */
  find: FindMethod<Method>
  /** Increases whenever a renewal of a list succeeds or fails. */
  version(): number
  /** Returns the age of a site's list; null if there is none. Makes no call to the payments API. */
  freshness(siteId: string): MethodFreshness | null
}

export type MethodFreshness = Pick<MethodList<never>, 'fetchedAt' | 'stale'>

/** Returns whether every site has a list within its time to live, so that the result may be cached elsewhere. */
export function isCurrent({ expired, unavailable }: MethodList<unknown>): boolean {
  return !expired && unavailable.length === 0
}

const TTL_MS = 300_000
const STALE_MS = 3_600_000

/** Few combinations of currencies occur in practice; the limit keeps a caller that varies them from filling the memory. */
const MOST_COMBINATIONS = 256

/**
 * Caches the method lists of all sites, so that showing methods does not cost a call to the payments API. Concurrent callers
 * share one call per site; past its time to live a list is still served at once, and renewed in the background.
 */
export function createMethodCache<Method extends ListedMethod>(
  options: MethodCacheOptions<Method>,
): MethodCache<Method> {
  const { load, sites, clock = () => performance.now(), ttlMs = TTL_MS, staleMs = STALE_MS } = options
  const entries = sites.all.map((site) => ({
    site,
    cached: createSiteMethods({ load: () => load(site), clock, ttlMs, staleMs }),
  }))
  const served = new Set(sites.all.flatMap((site) => site.currencies))
  const combinations = new Map<string, Combination<Method>>()

  const combinationOf = (currencies: readonly string[] | undefined): Combination<Method> => {
    const asGiven = currencies?.join() ?? '*'
    const known = combinations.get(asGiven)
    if (known !== undefined) return known
    const wanted = currencies === undefined ? null : new Set(currencies.filter((code) => served.has(code)))
    const name = wanted === null ? '*' : [...wanted].sort().join()
    const asked =
      wanted === null ? entries : entries.filter(({ site }) => site.currencies.some((code) => wanted.has(code)))
    if (combinations.size >= MOST_COMBINATIONS) combinations.clear()
    const combination = combinations.get(name) ?? { asked, wanted, combined: null }
    combinations.set(asGiven, combination).set(name, combination)
    return combination
  }

  const combine = (combination: Combination<Method>): MethodList<Method> => {
    const { asked, wanted, combined } = combination
    let stamp = ''
    for (const { cached } of asked) stamp += `${cached.stamp()},`
    if (combined?.stamp === stamp) return combined.list
    const made = combineAnew(asked, wanted, combined)
    combination.combined = { ...made, stamp }
    return made.list
  }

  const list = (currencies?: readonly string[]): MethodList<Method> | Promise<MethodList<Method>> => {
    const combination = combinationOf(currencies)
    const { asked } = combination
    let first: Promise<void>[] | null = null
    let again: Promise<void>[] | null = null
    for (const entry of asked) {
      const renewal = entry.cached.wake()
      if (renewal === null) continue
      if (isUnasked(entry)) (first ??= []).push(renewal)
      else (again ??= []).push(renewal)
    }
    const awaited = first ?? (asked.some(({ cached }) => cached.current() !== null) ? null : again)
    return awaited === null ? combine(combination) : Promise.all(awaited).then(() => combine(combination))
  }

  return {
    list,
    known: (currencies) => {
      const combination = combinationOf(currencies)
      return combination.asked.some(isUnasked) ? null : combine(combination)
    },
    find: methodFinder(sites, list),
    version: () => entries.reduce((sum, { cached }) => sum + cached.version(), 0),
    freshness: (siteId) => entries.find(({ site }) => site.id === siteId)?.cached.current() ?? null,
  }
}

function isUnasked({ cached }: Entry<unknown>): boolean {
  return cached.current() === null && !cached.hasFailed()
}

type Entry<Method> = { readonly site: Site; readonly cached: SiteMethods<Method> }

/** What the methods of some currencies are made of, and the list as it was made last. */
type Combination<Method> = {
  readonly asked: readonly Entry<Method>[]
  /** Null for all. */
  readonly wanted: ReadonlySet<string> | null
  combined: Combined<Method> | null
}

type Combined<Method> = { readonly stamp: string; readonly content: string; readonly list: MethodList<Method> }

/** A renewed list with the same methods keeps the old array, so that values derived from it stay valid. */
function combineAnew<Method extends ListedMethod>(
  asked: readonly Entry<Method>[],
  wanted: ReadonlySet<string> | null,
  before: Combined<Method> | null,
): Omit<Combined<Method>, 'stamp'> {
  const usable = asked.filter(({ cached }) => cached.current() !== null)
  const content = usable.map(({ site, cached }) => `${site.id}:${cached.contentVersion()}`).join(',')
  const methods = before?.content === content ? before.list.methods : methodsOf(usable, wanted)
  const times = usable.map(({ cached }) => cached.current()?.fetchedAt.getTime() ?? 0)
  const list = {
    methods,
    fetchedAt: times.length === 0 ? new Date() : new Date(Math.min(...times)),
    stale: usable.some(({ cached }) => cached.current()?.stale === true),
    expired: usable.some(({ cached }) => cached.current()?.expired === true),
    unavailable: missing(asked, usable, wanted),
  }
  return { content, list: Object.freeze(list) }
}

function methodsOf<Method extends ListedMethod>(
  usable: readonly Entry<Method>[],
  wanted: ReadonlySet<string> | null,
): readonly Method[] {
  const byCodeInOrder = new Map<string, Method>()
  for (const { cached } of usable)
    for (const method of cached.current()?.methods ?? [])
      if ((wanted === null || wanted.has(method.currency)) && !byCodeInOrder.has(method.code))
        byCodeInOrder.set(method.code, method)
  return Object.freeze([...byCodeInOrder.values()])
}

function missing(
  asked: readonly Entry<unknown>[],
  usable: readonly Entry<unknown>[],
  wanted: ReadonlySet<string> | null,
): readonly string[] {
  const there = new Set(usable.flatMap(({ site }) => site.currencies))
  const all = new Set(asked.flatMap(({ site }) => site.currencies))
  return Object.freeze([...all].filter((code) => !there.has(code) && (wanted === null || wanted.has(code))).sort())
}

export type FindMethod<Method> = (code: string, onStale?: () => void) => Promise<Method | null>

/** Returns the `find` of a cache with this `list`. Asks for the list of the currency in the code first. */
export function methodFinder<Method extends ListedMethod>(
  sites: Sites,
  list: MethodCache<Method>['list'],
): FindMethod<Method> {
  const served = new Set(sites.all.flatMap((site) => site.currencies))
  const byCode = codeIndex<Method>()
  return async (code, onStale = () => {}) => {
    const { currency } = parseMethodCode(code)
    const near = currency === null || !served.has(currency) ? null : await list([currency])
    const decisive = near !== null && byCode(near).has(code) ? near : await list()
    if (!isCurrent(decisive)) onStale()
    return byCode(decisive).get(code) ?? null
  }
}

/** Returns the methods of a list by code; the index is built once per list object. */
function codeIndex<Method extends ListedMethod>(): (list: MethodList<Method>) => ReadonlyMap<string, Method> {
  const made = new WeakMap<readonly Method[], ReadonlyMap<string, Method>>()
  return ({ methods }) => {
    const known = made.get(methods) ?? new Map(methods.map((method) => [method.code, method]))
    made.set(methods, known)
    return known
  }
}

type SiteMethods<Method> = {
  /**
   * Starts a renewal if one is due. Returns a promise, which never rejects, if there is no list to serve until it ends; null if
   * the caller need not wait, or waiting would not help.
   */
  wake(): Promise<void> | null
  /** Returns the list to serve now, or null. */
  current(): CurrentMethods<Method> | null
  /** Returns whether the last renewal that ended has failed. */
  hasFailed(): boolean
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
  readonly load: () => Promise<readonly Method[]>
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
function createSiteMethods<Method>(options: SiteMethodsOptions<Method>): SiteMethods<Method> {
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
      const methods = await load()
      if (loaded === null || !sameMethods(loaded.methods, methods)) content += 1
      // Frozen, so that values derived from a method can be cached per method object.
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
    hasFailed: () => failures > 0,
    stamp: () => `${version}${age() > staleMs ? '-' : age() > ttlMs ? '~' : ''}`,
    version: () => version,
    contentVersion: () => content,
  }
}

function sameMethods(before: readonly unknown[], after: readonly unknown[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
