import { parseMethodCode } from '../../domain/methods/method-code.ts'
import type { Site, Sites } from '../client/sites.ts'
import { createSiteMethods, type SiteMethods } from './site-methods.ts'

/** What a list of methods holds: each has a code, and collects or pays out in one currency. */
export type ListedMethod = { readonly code: string; readonly currency: string }

export type MethodCacheOptions<Method> = {
  readonly load: (site: Site) => Promise<readonly Method[]>
  readonly sites: Sites
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Age up to which a list is served without asking again: 5 minutes unless told. */
  readonly ttlMs?: number
  /** Age up to which a list is served when the payments API does not answer: an hour unless told. */
  readonly staleMs?: number
}

export type MethodList<Method> = {
  /** Frozen, and the very same list for as long as nothing in it has changed. */
  readonly methods: readonly Method[]
  /** When the oldest part of it came from the payments API. */
  readonly fetchedAt: Date
  /** Served past its time to live because the payments API failed. */
  readonly stale: boolean
  /** A part of it is past its time to live, whether its renewal has failed or is still under way. */
  readonly expired: boolean
  /** Currencies whose site did not answer, with nothing to serve instead. */
  readonly unavailable: readonly string[]
}

export type MethodCache<Method> = {
  /** The methods of the given currencies, or of all. Waits only for sites without a list to serve; never rejects. */
  list(currencies?: readonly string[]): Promise<MethodList<Method>>
  /**
   * The method of that code, or null when no site is known to offer it. Never rejects. Calls `onStale` when that was
   * decided by lists that are not current.
   */
  find(code: string, onStale?: () => void): Promise<Method | null>
  /** Rises whenever a list has been renewed, or could not be. */
  version(): number
  /** How old the list of a site is; null when there is none to serve. Asks the payments API nothing. */
  freshness(siteId: string): MethodFreshness | null
}

export type MethodFreshness = Pick<MethodList<never>, 'fetchedAt' | 'stale'>

/** Whether every site answered for a list within its time to live, so that the list may be kept by others. */
export function isCurrent({ expired, unavailable }: MethodList<unknown>): boolean {
  return !expired && unavailable.length === 0
}

const TTL_MS = 300_000
const STALE_MS = 3_600_000

/** Combinations of currencies that are asked for in practice are few; a caller who varies them gains nothing. */
const MOST_COMBINATIONS = 256

/**
 * Keeps the method lists of all sites, so that a price page does not cost a call to the payments API. Concurrent callers
 * share one call per site; past its time to live a list is still served at once, and renewed behind the caller's back.
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
  const combined = new Map<string, Combined<Method>>()
  const byCode = codeIndex<Method>()

  async function list(currencies?: readonly string[]): Promise<MethodList<Method>> {
    const wanted = currencies === undefined ? null : new Set(currencies.filter((code) => served.has(code)))
    const asked =
      wanted === null ? entries : entries.filter(({ site }) => site.currencies.some((code) => wanted.has(code)))
    const cold = asked.flatMap(({ cached }) => cached.wake() ?? [])
    if (cold.length > 0) await Promise.all(cold)
    return combine(asked, wanted)
  }

  function combine(asked: readonly Entry<Method>[], wanted: ReadonlySet<string> | null): MethodList<Method> {
    const key = wanted === null ? '*' : [...wanted].sort().join(',')
    const stamp = asked.map(({ cached }) => cached.stamp()).join(',')
    const known = combined.get(key)
    if (known?.stamp === stamp) return known.list
    const made = combineAnew(asked, wanted, known)
    if (combined.size >= MOST_COMBINATIONS) combined.clear()
    combined.set(key, { ...made, stamp })
    return made.list
  }

  async function find(code: string, onStale: () => void = () => {}): Promise<Method | null> {
    const { currency } = parseMethodCode(code)
    const near = currency === null || !served.has(currency) ? null : await list([currency])
    const decisive = near !== null && byCode(near).has(code) ? near : await list()
    if (!isCurrent(decisive)) onStale()
    return byCode(decisive).get(code) ?? null
  }

  return {
    list,
    find,
    version: () => entries.reduce((sum, { cached }) => sum + cached.version(), 0),
    freshness: (siteId) => entries.find(({ site }) => site.id === siteId)?.cached.current() ?? null,
  }
}

type Entry<Method> = { readonly site: Site; readonly cached: SiteMethods<Method> }
type Combined<Method> = { readonly stamp: string; readonly content: string; readonly list: MethodList<Method> }

/** A renewed list with the same methods as before keeps the old array, so that what was derived from it stays good. */
function combineAnew<Method extends ListedMethod>(
  asked: readonly Entry<Method>[],
  wanted: ReadonlySet<string> | null,
  before: Combined<Method> | undefined,
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

/** The methods of a list by code, made once for as long as the list is the same. */
function codeIndex<Method extends ListedMethod>(): (list: MethodList<Method>) => ReadonlyMap<string, Method> {
  const made = new WeakMap<readonly Method[], ReadonlyMap<string, Method>>()
  return ({ methods }) => {
    const known = made.get(methods) ?? new Map(methods.map((method) => [method.code, method]))
    made.set(methods, known)
    return known
  }
}
