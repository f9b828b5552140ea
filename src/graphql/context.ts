import type { Caller } from '../access/caller.ts'
import type { Operations } from '../commands/operations.ts'
import type { Currency } from '../domain/money/money.ts'
import type { PayoutMethod } from '../domain/payouts/payout-report.ts'
import type { CursorCodec } from '../keys/cursor.ts'
import { readStatusToken } from '../keys/derived-secrets.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import type { Health } from '../lookups/health.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import type { SigningKeys } from '../retention/signing-keys.ts'
import type { FollowServices } from '../streams/follow.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { PayinMethodLists } from '../upstream/methods/payin-method-lists.ts'
import { type AnswerFreshness, createAnswerFreshness } from './engine/cache-policy.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** Dependencies that live as long as the process. */
export type Services = FollowServices & {
  readonly store: Store
  readonly methods: PayinMethodLists
  readonly payoutMethods: MethodCache<PayoutMethod>
  /** Reads the required fields of a method; null if the payments API does not provide them. */
  readonly requirements: MethodRequirementsReader
  readonly operations: Operations
  readonly health: Health
  readonly keys: KeyRing
  /** Encrypts the ids of contacts. It is derived from the log's id, so that they outlive signing keys. */
  readonly contactKeys: KeyRing
  readonly signingKeys: Pick<SigningKeys, 'report'>
  readonly cursors: CursorCodec
  readonly isEnabled: (currency: Currency) => boolean
}

/** The context of resolvers. Loaders live as long as one answer, so that no answer contains data that was read for an earlier one. */
export type Context = Services & {
  /** The same services, for code that runs longer than the answer takes. */
  readonly services: Services
  readonly caller: Caller
  readonly loaders: Loaders
  /** Records whether a part of the answer is stale, so that no cache may keep the answer. */
  readonly freshness: AnswerFreshness
  /** Cursor that a reconnecting client sent outside of the operation; it takes precedence over the operation's own. */
  readonly resumeAfter: string | undefined
  /** Returns the ids of the links and payments of which the request's header has a valid status token. */
  readonly heldSubjects: () => ReadonlySet<string>
  /** Begins the answer to the next mutation of an operation: everything is read again, and the clock as well. */
  begin(): void
}

/** What differs between answers. */
type Answering = {
  readonly resumeAfter?: string | undefined
  readonly statusTokens?: readonly string[]
  /** Whether the answer is an item of a stream, which is not to cost a query for each state that this process has. */
  readonly isItem?: boolean
}

/** Creates the context of one answer. The answer shows one instant: its clock stands still from the first reading on. */
export function createContext(
  services: Services,
  caller: Caller,
  { resumeAfter, statusTokens = [], isItem = false }: Answering = {},
): Context {
  const freshness = createAnswerFreshness()
  let loaders: Loaders | null = null
  let instant: Date | null = null
  let held: ReadonlySet<string> | null = null
  const clock = () => (instant ??= services.clock())
  return {
    ...services,
    services,
    caller,
    resumeAfter,
    freshness,
    clock,
    heldSubjects: () =>
      (held ??= new Set(
        statusTokens.flatMap((token) => readStatusToken(services.keys, token, clock())?.subjectId ?? []),
      )),
    get loaders() {
      return (loaders ??= createLoaders({ ...services, isItem, onStale: freshness.markStale }))
    },
    begin() {
      loaders = null
      instant = null
    },
  }
}
