import type { KeyRing } from '../../keys/key-ring.ts'
import type { Timer } from '../../lib/timers.ts'
import type { ReadFailure } from '../../lookups/operation-outcome.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ReadIdentity } from '../../reconciliation/read-identity.ts'
import type { IdentityWatchStore } from '../../store/store.ts'
import type { Sites } from '../../upstream/client/sites.ts'
import type { Deadlines } from '../deadlines.ts'
import type { Follower } from '../follow.ts'
import type { StreamRegistry } from '../stream-registry.ts'

export type IdentityWatcherOptions = {
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

export type WatchedPerson = { readonly email: string; readonly currency: string | null; readonly site: string | null }

/** When the caller's permission ends, in milliseconds since the epoch, and the key by which its streams are counted. */
export type StreamOwner = { readonly endsAt: number; readonly caller: string | null }

export type OpenedIdentity =
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
