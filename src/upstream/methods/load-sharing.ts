import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import { releaseLease, type SharedState, takeLease } from '../../redis/shared-state.ts'
import type { Site } from '../client/sites.ts'

/** A value, and the milliseconds since it was read from the payments API, perhaps by another node. */
export type Loaded<Value> = { readonly value: Value; readonly ageMs: number }

/** What a value belongs to: a site, or one method of it. */
export type LoadSubject = { readonly site: Site; readonly methodCode?: string }

/** Returns the value of a subject that the nodes share, or loads and shares it. Rejects only with what `load` rejects with. */
export type ShareLoads<Value> = (subject: LoadSubject, load: () => Promise<Value>) => Promise<Loaded<Value>>

export type LoadSharingOptions<Value> = {
  readonly state: SharedState
  /** Which value of a subject; with the version of its form. */
  readonly kind: string
  readonly nameOf: (subject: LoadSubject) => string
  readonly schema: z.ZodType<Value>
}

/** Age up to which a value is shared; as in the caches, so that all nodes renew it at the same time. */
const TTL_MS = 300_000
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
