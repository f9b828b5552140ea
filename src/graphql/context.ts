import type { Caller } from '../access/caller.ts'
import type { Operations } from '../commands/operations.ts'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { Currency } from '../domain/money/currencies.ts'
import type { PayoutMethod } from '../domain/payouts/payout.ts'
import type { CursorCodec } from '../keys/cursor.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Health } from '../lookups/health.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import type { Store } from '../store/store.ts'
import type { FollowServices } from '../streams/follow.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import { type AnswerFreshness, createAnswerFreshness } from './engine/answer-freshness.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** What lives as long as the process. */
export type Services = FollowServices & {
  readonly store: Store
  readonly methods: MethodCache<PayinMethod>
  readonly payoutMethods: MethodCache<PayoutMethod>
  /** What each method asks for; null when the payments API does not tell. */
  readonly requirements: MethodRequirementsReader
  readonly operations: Operations
  readonly health: Health
  readonly keys: KeyRing
  readonly cursors: CursorCodec
  readonly isEnabled: (currency: Currency) => boolean
}

/** What a resolver may use. Loaders live as long as one answer, so that nothing read for one is served to the next. */
export type Context = Services & {
  /** The same, for what outlives the answer. */
  readonly services: Services
  readonly caller: Caller
  readonly loaders: Loaders
  /** Told of everything in the answer that no cache may keep. */
  readonly freshness: AnswerFreshness
  /** Cursor that a client which comes back has named beside the operation; it outranks the operation's own. */
  readonly resumeAfter: string | undefined
}

/** A context for one answer. */
export function createContext(services: Services, caller: Caller, resumeAfter: string | undefined): Context {
  const freshness = createAnswerFreshness()
  const loaders = createLoaders(services, freshness.markStale)
  return { ...services, services, caller, resumeAfter, freshness, loaders }
}
