import { present, type Problem, TEXT, textProblem } from '../domain/field-problems.ts'
import { importNumber } from '../domain/imports/import-plan.ts'
import { erasedValue, erasureHashes, type KeyRing } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import { tidied } from '../lib/text.ts'
import type { ReplayFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import { STORED_BODIES } from '../reconciliation/start-replays.ts'
import type { DeliveriesReplay, DeliveryFilter, ErasureKind, PayerErasure, ReplayOutcome } from '../store/port.ts'

export type ReplayDeliveryOptions = {
  readonly store: { readonly inbox: Pick<Store['inbox'], 'replay'> }
  readonly logger: Logger
  readonly clock: () => Date
  /** Called when a read of a payment or agreement has fallen due. */
  readonly onReadDue: () => void
}

export type ReplayRequest = { readonly deliveryId: string; readonly apply: boolean }

type Replayed = Omit<Extract<ReplayOutcome, { kind: 'replayed' }>, 'kind'>

export type ReplayDeliveryOutcome = ({ readonly kind: 'done'; readonly applied: boolean } & Replayed) | ReplayFailure

/** Processes a stored delivery again with the current version of the code. Without `apply` it only reports what would change. */
export async function replayDelivery(
  { store, logger, clock, onReadDue }: ReplayDeliveryOptions,
  { deliveryId, apply }: ReplayRequest,
): Promise<ReplayDeliveryOutcome> {
  const outcome = await store.inbox.replay({ id: deliveryId, apply, at: clock(), parse: STORED_BODIES })
  if (outcome.kind !== 'replayed') return outcome
  if (apply) {
    logger.info({ deliveryId, disposition: outcome.after }, 'delivery replayed')
    if (outcome.readDue) onReadDue()
  }
  return { ...outcome, kind: 'done', applied: apply }
}

type ReplaysOptions = {
  readonly store: { readonly replays: Pick<Store['replays'], 'begin' | 'cancel'> }
  readonly clock: () => Date
  /** Called when there is a replay to work on. */
  readonly onReplayBegun: () => void
}

/**
 * Begins the replay of the deliveries that meet a filter, which goes on in the background. Needs no idempotency key: a repeat finds the running
 * one, and what is applied is not applied again.
 */
export async function replayDeliveries(
  { store, clock, onReplayBegun }: ReplaysOptions,
  { filter, apply }: { readonly filter: DeliveryFilter; readonly apply: boolean },
  requestedBy: string | null,
): Promise<
  | { readonly kind: 'done'; readonly replay: DeliveriesReplay; readonly replayed: boolean }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }
> {
  const begun = await store.replays.begin({ filter, dryRun: !apply, requestedBy, requestedAt: clock() })
  if (begun.kind === 'too-many') return { kind: 'state-conflict', statusRaw: 'RUNNING' }
  onReplayBegun()
  return { kind: 'done', replay: begun.replay, replayed: begun.kind === 'running' }
}

/** Cancels a replay: what is replayed stays. */
export async function cancelReplay(
  { store, clock }: Pick<ReplaysOptions, 'store' | 'clock'>,
  id: string,
): Promise<{ readonly kind: 'done'; readonly replay: DeliveriesReplay } | { readonly kind: 'not-found' }> {
  const number = importNumber(id)
  const cancelled = number === null ? null : await store.replays.cancel(number, clock())
  return cancelled === null ? { kind: 'not-found' } : { kind: 'done', replay: cancelled }
}

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
  const value = pastedValue({ by, value: given })
  const problems = present([textProblem(value, TEXT, ['value'])])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  if (!(await isKnown(store, by, value))) return { kind: 'not-found' }
  const [valueHash] = hashesOf(keys, { by, value })
  let erasure = await store.erasures.begin({ kind: by, value, valueHash, requestedBy, requestedAt: clock() })
  for (let steps = 0; erasure.doneAt === null && steps < STEPS_AT_ONCE; steps += 1)
    erasure = (await store.erasures.step(erasure.number, clock())) ?? erasure
  if (erasure.doneAt === null) onErasureLeft()
  else logger.info({ kind: by, count: erasure.payers }, 'payers were erased')
  return { kind: 'done', erasure }
}

/** Returns how much an erasure would find now: nothing by an invalid value. */
export async function countErasable({ erasures }: Pick<Store, 'erasures'>, { by, value: given }: EraseRequest) {
  const value = pastedValue({ by, value: given })
  const isInvalid = textProblem(value, TEXT, []) !== null
  return isInvalid ? { payments: 0, agreements: 0, payouts: 0 } : erasures.count({ kind: by, value })
}

/** Returns the hashes of what payers are erased by, under every live signing key: the record of an erasure has one of them. */
export function hashesOf(keys: KeyRing, request: EraseRequest): readonly [string, ...string[]] {
  return erasureHashes(keys, request.by, pastedValue(request))
}

/** Owners are compared exactly as they were written. */
function pastedValue({ by, value }: EraseRequest): string {
  return erasedValue(by, by === 'OWNER' ? value : tidied(value))
}

/** Of an owner or an e-mail address there may be nothing, so that the caller need not know. */
async function isKnown(store: EraseOptions['store'], by: ErasureKind, id: string): Promise<boolean> {
  if (by === 'PAYMENT') return (await store.payments.byIds([id])).length > 0
  if (by === 'LINK') return (await store.links.byIds([id])).length > 0
  if (by === 'PAYOUT') return (await store.payouts.byIds([id])).length > 0
  return by !== 'AGREEMENT' || (await store.agreements.byIds([id])).length > 0
}
