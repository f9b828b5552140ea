import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import {
  type MethodRequirements,
  mergedMethods,
  type PayinMethod,
  type PayinMethodUse,
} from '../../domain/methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from '../../domain/payouts/payout-report.ts'
import { releaseLease, type SharedState, takeLease } from '../../redis/shared-counts.ts'
import type { Sites, Site } from '../client/sites.ts'
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

const labels = z.array(z.string()).nullable()
const flag = z.boolean().nullable()
const optionalText = z.string().nullable()
const flags = { refundable: flag, cancellable: flag, requiresContact: flag, requiresKyc: flag }
const shown = {
  minAmount: optionalText,
  maxAmount: optionalText,
  networks: labels,
  symbol: optionalText,
  logo: optionalText,
}
const code = {
  code: z.string().min(1),
  currency: z.string().min(1),
  countryCode: z.string().nullable(),
  kind: z.enum(['CARD', 'BANK_TRANSFER', 'ALIAS', 'EWALLET', 'MOBILE_MONEY', 'QR', 'EFT', 'OTHER']),
  kindRaw: z.string(),
}

/** Values as nodes share them. Another form needs another version in the names of their keys (`composition/open-store.ts`). */
export const PAYIN_METHODS: z.ZodType<readonly PayinMethod[]> = z.array(
  z.strictObject({
    ...code,
    ...shown,
    usableFor: z.array(z.enum(['LINK', 'DIRECT'])),
    name: optionalText,
    cardBrands: labels,
    checkoutLanguages: labels,
    flags: z.strictObject(flags),
  }),
)

export const PAYOUT_METHODS: z.ZodType<readonly PayoutMethod[]> = z.array(z.strictObject(code))

const requirements = {
  ...flags,
  ...shown,
  code: z.string().min(1),
  currency: z.string().min(1),
  description: optionalText,
  fields: z.array(
    z.strictObject({ name: z.string(), type: z.string(), required: z.boolean(), label: optionalText, raw: z.string() }),
  ),
}

export const PAYIN_REQUIREMENTS: z.ZodType<MethodRequirements> = z.strictObject(requirements)

export const PAYOUT_REQUIREMENTS: z.ZodType<PayoutMethodRequirements> = z.strictObject({
  ...requirements,
  banks: z.array(z.strictObject({ code: z.string(), name: z.string(), shortName: optionalText })),
})

/** Values by key, each loaded on demand and cached. */
export type KeyedCache<Value> = {
  /**
   * Returns the value of a key, and renews it behind the answer once it is past its time to live. Loads it first if there is none, and no
   * load of it has failed in the last second. Null if it cannot be loaded. Never rejects. Calls `onStale` if the result is past its time
   * to live, or null.
   */
  get(key: string, load: () => Promise<Loaded<Value>>, onStale?: () => void): Promise<Value | null>
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

  const renew = async (key: string, load: () => Promise<Loaded<Value>>): Promise<Entry<Value>> => {
    let entry: Entry<Value>
    try {
      const { value, ageMs } = await load()
      entry = { value, at: clock() - ageMs, failedAt: null }
    } catch {
      entry = { ...(entries.get(key) ?? { value: null, at: clock() }), failedAt: clock() }
    }
    if (entries.size >= size && !entries.has(key)) entries.clear()
    entries.set(key, entry)
    return entry
  }

  /** Starts a load, unless there is one, or one has failed a short time ago. It never rejects. */
  const renewed = (key: string, load: () => Promise<Loaded<Value>>): Promise<Entry<Value>> | null => {
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

/** A value, and the milliseconds since it was read from the payments API, perhaps by another node. */
export type Loaded<Value> = { readonly value: Value; readonly ageMs: number }

/** What a value belongs to: a site, or one method of it. */
export type LoadSubject = { readonly site: Site; readonly methodCode?: string }

/** Returns the value of a subject that the nodes share, or loads and shares it. Rejects only with what `load` rejects with. */
export type ShareLoads<Value> = (subject: LoadSubject, load: () => Promise<Value>) => Promise<Loaded<Value>>

type LoadSharingOptions<Value> = {
  readonly state: SharedState
  /** Which value of a subject; with the version of its form. */
  readonly kind: string
  readonly nameOf: (subject: LoadSubject) => string
  readonly schema: z.ZodType<Value>
}

/** Age up to which a value is shared; as in the caches, so that all nodes renew it at the same time. */
/** Longest value, in bytes; a longer one is not shared. */
const MAX_BYTES = 1_048_576
/** Lease of the node that loads a value. */
const LEASE_MS = 10_000
/** How long another node waits for it before it loads the value itself, and how often it looks. */
const WAIT_MS = 3_000
const LOOK_MS = 50

/**
 * Shares what is read of methods through Redis: one node loads a value, the others take it. What is no sealed value of this version and
 * subject counts as none. Without Redis each node loads its own.
 */
export function shareLoads<Value>(options: LoadSharingOptions<Value>): ShareLoads<Value> {
  const { state, kind, nameOf } = options
  return async (subject, load) => {
    const key = state.keyOf(`methods:${kind}`, nameOf(subject))
    const lease = `${key}:lease`
    const holder = randomUUID()
    try {
      const shared = await takeShared(options, { key, lease, holder })
      if (shared !== null) return shared
    } catch {
      return { value: await load(), ageMs: 0 }
    }
    try {
      const value = await load()
      await write(state, key, value)
      return { value, ageMs: 0 }
    } finally {
      releaseLease(state, lease, holder)
    }
  }
}

type Names = { readonly key: string; readonly lease: string; readonly holder: string }

/** Returns the shared value; null if this node is to load it. Rejects with `RedisFailure`. */
async function takeShared<Value>(
  options: LoadSharingOptions<Value>,
  { key, lease, holder }: Names,
): Promise<Loaded<Value> | null> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    const known = await read(options, key)
    if (known !== null) return known
    // The holder of the lease may have shared its value since.
    if (await takeLease(options.state, lease, holder, LEASE_MS)) {
      const renewed = await read(options, key)
      if (renewed !== null) releaseLease(options.state, lease, holder)
      return renewed
    }
    if (performance.now() > until) return null
    await delay(LOOK_MS)
  }
}

async function read<Value>({ state, schema }: LoadSharingOptions<Value>, key: string): Promise<Loaded<Value> | null> {
  const [sealed, leftMs] = await state.quickly((commands) =>
    Promise.all([commands.getrange(key, 0, MAX_BYTES), commands.pttl(key)]),
  )
  const end = sealed.indexOf(' ')
  const text = sealed.slice(end + 1)
  if (end === -1 || leftMs <= 0 || leftMs > TTL_MS || state.seal(`${key}\n${text}`) !== sealed.slice(0, end))
    return null
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? { value: parsed.data, ageMs: TTL_MS - leftMs } : null
}

async function write(state: SharedState, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value)
  const sealed = `${state.seal(`${key}\n${text}`)} ${text}`
  if (Buffer.byteLength(sealed) > MAX_BYTES) return
  await state.quickly((commands) => commands.set(key, sealed, 'PX', TTL_MS)).catch(() => {})
}
