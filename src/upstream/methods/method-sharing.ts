import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import { releaseLease, type SharedState, takeLease } from '../../redis/shared-state.ts'
import type { Site } from '../client/sites.ts'
import type { LoadedMethods } from './site-methods.ts'

/** Returns the list of a site that the nodes share, or loads and shares it. Rejects only with what `load` rejects with. */
export type ShareMethods<Method> = (
  site: Site,
  load: () => Promise<readonly Method[]>,
) => Promise<LoadedMethods<Method>>

export type MethodSharingOptions<Method> = {
  readonly state: SharedState
  /** Which list of a site; with the version of its form. */
  readonly kind: string
  readonly subjectOf: (site: Site) => string
  readonly schema: z.ZodType<readonly Method[]>
}

/** Age up to which a list is shared; as in the caches, so that all nodes renew it at the same time. */
const TTL_MS = 300_000
/** Longest value, in bytes; a longer list is not shared. */
const MAX_BYTES = 1_048_576
/** Lease of the node that loads a list. */
const LEASE_MS = 10_000
/** How long another node waits for it before it loads the list itself, and how often it looks. */
const WAIT_MS = 3_000
const LOOK_MS = 50

/**
 * Shares the method lists of sites through Redis: one node loads a list, the others take it. A value that is no sealed list of this version and
 * site counts as none. Without Redis each node loads its own.
 */
export function shareMethods<Method>(options: MethodSharingOptions<Method>): ShareMethods<Method> {
  const { state, kind, subjectOf } = options
  return async (site, load) => {
    const key = state.keyOf(`methods:${kind}`, subjectOf(site))
    const lease = `${key}:lease`
    const holder = randomUUID()
    try {
      const shared = await takeShared(options, { key, lease, holder })
      if (shared !== null) return shared
    } catch {
      return { methods: await load(), ageMs: 0 }
    }
    try {
      const methods = await load()
      await write(state, key, methods)
      return { methods, ageMs: 0 }
    } finally {
      releaseLease(state, lease, holder)
    }
  }
}

type Names = { readonly key: string; readonly lease: string; readonly holder: string }

/** Returns the shared list; null if this node is to load it. Rejects with `RedisFailure`. */
async function takeShared<Method>(
  options: MethodSharingOptions<Method>,
  { key, lease, holder }: Names,
): Promise<LoadedMethods<Method> | null> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    const known = await read(options, key)
    if (known !== null) return known
    // The holder of the lease may have shared its list since.
    if (await takeLease(options.state, lease, holder, LEASE_MS)) {
      const renewed = await read(options, key)
      if (renewed !== null) releaseLease(options.state, lease, holder)
      return renewed
    }
    if (performance.now() > until) return null
    await delay(LOOK_MS)
  }
}

async function read<Method>(
  { state, schema }: MethodSharingOptions<Method>,
  key: string,
): Promise<LoadedMethods<Method> | null> {
  const [value, leftMs] = await state.quickly((commands) =>
    Promise.all([commands.getrange(key, 0, MAX_BYTES), commands.pttl(key)]),
  )
  const end = value.indexOf(' ')
  const text = value.slice(end + 1)
  if (end === -1 || leftMs <= 0 || leftMs > TTL_MS || state.seal(`${key}\n${text}`) !== value.slice(0, end)) return null
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? { methods: parsed.data, ageMs: TTL_MS - leftMs } : null
}

async function write(state: SharedState, key: string, methods: readonly unknown[]): Promise<void> {
  const text = JSON.stringify(methods)
  const value = `${state.seal(`${key}\n${text}`)} ${text}`
  if (Buffer.byteLength(value) > MAX_BYTES) return
  await state.quickly((commands) => commands.set(key, value, 'PX', TTL_MS)).catch(() => {})
}
