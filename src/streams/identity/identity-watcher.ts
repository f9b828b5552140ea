import type { IdentityState } from '../../domain/customers/identity-check.ts'
import { contactKey, type KeyRing } from '../../keys/key-ring.ts'
import type { Timer } from '../../lib/timers.ts'
import { type ReadFailure, namedSite } from '../../lookups/operation-outcome.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ReadIdentity } from '../../reconciliation/subject-readers.ts'
import type { IdentityWatchStore } from '../../store/store.ts'
import type { Site, Sites } from '../../upstream/client/sites.ts'
import type { Follower } from '../follow.ts'
import type { Deadlines, StreamRegistry } from '../stream-registry.ts'
import { type IdentityStream, openIdentityStream } from './identity-stream.ts'

/** Milliseconds between two looks at what other nodes have read. */
const LOOK_MS = 1_000
/** How long a node's word that it follows a contact holds, in milliseconds. It is renewed at half of it. */
const FOLLOWED_MS = 60_000
/** How long a read may take, with the wait for its permit, before another node may read. */
const LEASE_MS = 30_000
/** Reads that a node has taken and not made yet. */
const MOST_TAKEN = 4
const MOST_CONTACTS = 1_000

type Watched = {
  readonly site: Site
  readonly email: string
  readonly streams: Set<IdentityStream>
  /** Streams that are being opened. */
  opening: number
  /** Null until it was read, here or at another node. */
  state: IdentityState | null
  /** Called with the first state, or with why there is none. */
  readonly waiting: Set<(failure: ReadFailure | null) => void>
}

export function createIdentityWatcher(options: IdentityWatcherOptions): IdentityWatcher {
  return new Watcher(options)
}

class Watcher implements IdentityWatcher {
  readonly #options: IdentityWatcherOptions
  /** By the key of the contact. */
  readonly #watched = new Map<string, Watched>()
  readonly #taken = new Set<string>()
  /** Streams by caller, open or being opened, so that none takes the places of all others. */
  readonly #callers = new Map<string | null, number>()
  #cancelLook: (() => void) | null = null
  #looking: Promise<void> | null = null
  #looksAgain = false
  #reading: Promise<void> | null = null
  #isClosed = false

  constructor(options: IdentityWatcherOptions) {
    this.#options = options
  }

  get followers(): number {
    return this.#watched.values().reduce((sum, { streams }) => sum + streams.size, 0)
  }

  get #most(): number {
    return this.#options.mostContacts ?? MOST_CONTACTS
  }

  async open({ email, currency, site: named }: WatchedPerson, account: StreamOwner): Promise<OpenedIdentity> {
    const { sites, keys } = this.#options
    const site = namedSite(sites, { currency, site: named })
    if (site === null) return { kind: 'no-site' }
    if (this.#isClosed) return { kind: 'upstream-unavailable', retryAfterSeconds: null }
    // With those that are being opened, because each has a place during its first read.
    if ((this.#callers.get(account.caller) ?? 0) >= this.#most / 2) return { kind: 'too-many' }
    const key = contactKey(keys, site.id, email)
    const watched = this.#watch(key, site, email)
    if (watched === null) return { kind: 'too-many' }
    watched.opening += 1
    this.#count(account.caller, 1)
    try {
      return await this.#openStream(key, watched, account)
    } finally {
      watched.opening -= 1
      this.#count(account.caller, -1)
      this.#release(key, watched)
    }
  }

  async #openStream(key: string, watched: Watched, account: StreamOwner): Promise<OpenedIdentity> {
    const failure = watched.state === null ? await this.#firstState(watched) : null
    if (failure !== null) return failure
    const { deadlines, streams } = this.#options
    const { caller } = account
    const follower = openIdentityStream({
      ...account,
      deadlines,
      streams,
      current: () => watched.state,
      onStop: (stream) => {
        watched.streams.delete(stream)
        this.#count(caller, -1)
        this.#release(key, watched)
      },
    })
    if (follower === null) return { kind: 'too-many' }
    watched.streams.add(follower)
    this.#count(caller, 1)
    return { kind: 'stream', follower }
  }

  async hasten(email: string): Promise<void> {
    const { store, keys, sites, clock, logger } = this.#options
    try {
      await store.hasten(
        sites.all.map(({ id }) => contactKey(keys, id, email)),
        clock().getTime(),
      )
      if (this.#watched.size > 0) this.#look()
    } catch (error) {
      logger.warn({ err: error }, 'an identity check is read later than its callback')
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelLook?.()
    for (const { streams } of this.#watched.values()) for (const stream of streams) stream.stop()
    this.#fail()
    this.#watched.clear()
    await this.#looking
    await this.#reading
  }

  #watch(key: string, site: Site, email: string): Watched | null {
    const known = this.#watched.get(key)
    if (known !== undefined) return known
    if (this.#watched.size >= this.#most) return null
    const watched: Watched = { site, email, streams: new Set(), opening: 0, state: null, waiting: new Set() }
    this.#watched.set(key, watched)
    return watched
  }

  #count(caller: string | null, change: 1 | -1): void {
    const count = (this.#callers.get(caller) ?? 0) + change
    if (count === 0) this.#callers.delete(caller)
    else this.#callers.set(caller, count)
  }

  /** Forgets a contact that nobody follows here; its row is deleted a minute later. */
  #release(key: string, watched: Watched): void {
    if (watched.streams.size === 0 && watched.opening === 0 && this.#watched.get(key) === watched)
      this.#watched.delete(key)
  }

  #firstState(watched: Watched): Promise<ReadFailure | null> {
    return new Promise((resolve) => {
      const tell = (failure: ReadFailure | null) => {
        watched.waiting.delete(tell)
        resolve(failure)
      }
      watched.waiting.add(tell)
      this.#look()
    })
  }

  /** Looks now, and once more if it was asked for meanwhile. */
  #look(): void {
    if (this.#looking !== null) {
      this.#looksAgain = true
      return
    }
    this.#cancelLook?.()
    this.#cancelLook = null
    this.#looking = this.#lookOnce().finally(() => {
      this.#looking = null
      if (this.#isClosed || this.#watched.size === 0) return
      if (!this.#looksAgain) this.#cancelLook = this.#options.timer.after(LOOK_MS, () => this.#look())
      else {
        this.#looksAgain = false
        this.#look()
      }
    })
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, logger } = this.#options
    try {
      const keys = [...this.#watched.keys()]
      const found = new Map((await store.find(keys)).map((watch) => [watch.key, watch]))
      for (const [key, { state }] of found) if (state !== null) this.#tell(key, state)
      const now = clock().getTime()
      const wanted = keys.filter((key) => {
        const watch = found.get(key)
        return watch === undefined || watch.dueAt <= now || watch.followedUntil < now + FOLLOWED_MS / 2
      })
      if (wanted.length === 0) return
      const most = Math.max(0, MOST_TAKEN - this.#taken.size)
      const times = { now, followedUntil: now + FOLLOWED_MS, leaseUntil: now + LEASE_MS, most }
      for (const key of await store.follow(wanted, times)) this.#taken.add(key)
      this.#reading ??= this.#readTaken().finally(() => (this.#reading = null))
    } catch (error) {
      logger.error({ err: error }, 'followed identity checks could not be looked at')
      this.#fail()
    }
  }

  /** One read after the other, so that a person's refresh of a payment is not held up by many followed contacts. */
  async #readTaken(): Promise<void> {
    for (const key of this.#taken) {
      this.#taken.delete(key)
      const watched = this.#watched.get(key)
      if (watched === undefined || this.#isClosed) continue
      try {
        await this.#read(key, watched)
      } catch (error) {
        this.#options.logger.error({ err: error }, 'an identity check could not be read')
        for (const tell of watched.waiting) tell({ kind: 'upstream-unavailable', retryAfterSeconds: null })
      }
      this.#look()
    }
  }

  async #read(key: string, watched: Watched): Promise<void> {
    const { store, read, clock } = this.#options
    const outcome = await read(watched.site, watched.email)
    const now = clock().getTime()
    if (outcome.kind === 'done') {
      const state = await store.record(key, outcome.identity, now)
      if (state !== null) this.#tell(key, state)
      return
    }
    for (const tell of watched.waiting) tell(outcome)
    if (outcome.kind !== 'not-found' && watched.state !== null) return store.postpone(key, now)
    // One that was never read is dropped too: only openings waited for it, and the next one reads at once.
    await store.drop(key)
    if (outcome.kind === 'not-found') for (const stream of watched.streams) stream.stop()
  }

  #tell(key: string, state: IdentityState): void {
    const watched = this.#watched.get(key)
    if (watched === undefined || state.version < (watched.state?.version ?? 0)) return
    watched.state = state
    for (const tell of watched.waiting) tell(null)
    for (const stream of watched.streams) stream.changed()
  }

  /** Those that wait are refused, so that nobody waits for a database that is away. */
  #fail(): void {
    for (const { waiting } of this.#watched.values())
      for (const tell of waiting) tell({ kind: 'upstream-unavailable', retryAfterSeconds: null })
  }
}

type IdentityWatcherOptions = {
  readonly store: IdentityWatchStore
  readonly keys: KeyRing
  readonly sites: Sites
  readonly read: ReadIdentity
  readonly deadlines: Deadlines
  readonly streams: StreamRegistry
  readonly clock: () => Date
  readonly timer: Timer
  readonly logger: Logger
  /** Contacts that one node follows at most. One caller has half as many streams at most. Default: 1,000. */
  readonly mostContacts?: number
}

type WatchedPerson = { readonly email: string; readonly currency: string | null; readonly site: string | null }

/** When the caller's permission ends, in milliseconds since the epoch, and the key by which its streams are counted. */
type StreamOwner = { readonly endsAt: number; readonly caller: string | null }

type OpenedIdentity =
  | { readonly kind: 'stream'; readonly follower: Follower }
  /** No site serves the currency, or the named one does not. */
  | { readonly kind: 'no-site' }
  | { readonly kind: 'too-many' }
  | ReadFailure

/** Follows the identity checks of contacts as long as somebody does, with one read for all followers at all nodes. */
export type IdentityWatcher = {
  open(person: WatchedPerson, account: StreamOwner): Promise<OpenedIdentity>
  /** Has a contact read at once, if it is followed at any node, because the payments API has reported something about it. Never rejects. */
  hasten(email: string): Promise<void>
  /** Number of open streams. */
  readonly followers: number
  /** Ends all streams, and resolves when no read is in progress. */
  close(): Promise<void>
}
