import { present, type Problem, TEXT, textProblem } from '../domain/field-problems.ts'
import { erasedValue, erasureHashes, type KeyRing } from '../keys/key-ring.ts'
import type { Logger } from '../observability/logger.ts'
import type { ErasureKind, PayerErasure, Store } from '../store/store.ts'

export type EraseOptions = {
  readonly store: Pick<Store, 'erasures' | 'payments' | 'links' | 'agreements' | 'payouts'>
  readonly keys: KeyRing
  readonly logger: Logger
  readonly clock: () => Date
  /** Called when an erasure is to be continued in the background. */
  readonly onErasureLeft: () => void
}

export type EraseRequest = {
  readonly by: ErasureKind
  /** The id, the owner or the e-mail address. */
  readonly value: string
}

export type EraseOutcome =
  | { readonly kind: 'done'; readonly erasure: PayerErasure }
  | { readonly kind: 'invalid-input'; readonly problems: readonly Problem[] }
  | { readonly kind: 'not-found' }

/** Transactions before the answer. What is left is erased in the background. */
const STEPS_AT_ONCE = 3

/**
 * Erases payers. The outcome contains the erasure, which is still running if there are more payers than a few transactions erase. Needs no
 * idempotency key: a repeat finds the running erasure, or nothing that is left to be erased.
 */
export async function erasePayer(
  options: EraseOptions,
  { by, value: given }: EraseRequest,
  requestedBy: string | null,
): Promise<EraseOutcome> {
  const { store, keys, logger, clock, onErasureLeft } = options
  const problems = present([textProblem(given, TEXT, ['value'])])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const value = erasedValue(by, given)
  if (!(await isKnown(store, by, value))) return { kind: 'not-found' }
  const [valueHash] = hashesOf(keys, { by, value })
  let erasure = await store.erasures.begin({ kind: by, value, valueHash, requestedBy, requestedAt: clock() })
  for (let steps = 0; erasure.doneAt === null && steps < STEPS_AT_ONCE; steps += 1)
    erasure = (await store.erasures.step(erasure.number, clock())) ?? erasure
  if (erasure.doneAt === null) onErasureLeft()
  else logger.info({ kind: by, count: erasure.payers }, 'payers are erased')
  return { kind: 'done', erasure }
}

/** Returns the hashes of what payers are erased by, under every live signing key: the record of an erasure has one of them. */
export function hashesOf(keys: KeyRing, { by, value }: EraseRequest): readonly [string, ...string[]] {
  return erasureHashes(keys, by, value)
}

/** Of an owner or an e-mail address there may be nothing, so that the caller need not know. */
async function isKnown(store: EraseOptions['store'], by: ErasureKind, id: string): Promise<boolean> {
  if (by === 'PAYMENT') return (await store.payments.byIds([id])).length > 0
  if (by === 'LINK') return (await store.links.byIds([id])).length > 0
  if (by === 'PAYOUT') return (await store.payouts.byIds([id])).length > 0
  return by !== 'AGREEMENT' || (await store.agreements.byIds([id])).length > 0
}
