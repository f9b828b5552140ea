import type { Agreement } from './agreement.ts'
import type { Payment } from './payment.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long after its end a link is read: the service itself needs a moment to notice. */
const AFTER_EXPIRY_MS = MINUTE_MS

/** The service gives up on a webhook after 45 minutes (interface document, section 6.1). */
const AFTER_EVENT_MS = 50 * MINUTE_MS

/** The first wait of those that double, by the payment's rank: the closer the next change, the sooner. */
const FIRST_WAIT_MS = [15 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] as const
const FIRST_WAIT_OF_OTHERS_MS = DAY_MS
const LONGEST_WAIT_MS = 14 * DAY_MS

/** Waits are this much longer or shorter, so that what happened at once is not read at once. */
const SPREAD = 0.1

/** After this rank nothing can come. */
const FINAL_RANK = 6
/** The first rank at which an expired link changes nothing. */
const ENDED_RANK = 3

const FIRST_TRY_AGAIN_MS = 15 * MINUTE_MS

/**
 * When a payment is read next although nothing asks for it, in case its webhooks never came: once every retry of the
 * last event's webhook is over, then at waits that double for as long as nothing changes, and when its link is over.
 * All instants in milliseconds since the epoch; null for a payment that can no longer change.
 */
export function nextPoll(
  { id, rank, updatedAt }: Pick<Payment, 'id' | 'rank' | 'updatedAt'>,
  now: number,
  linkExpiresAt: number | null,
): number | null {
  if (rank >= FINAL_RANK) return null
  const next = pollAfter({ id, updatedAt, firstWait: FIRST_WAIT_MS[rank] ?? FIRST_WAIT_OF_OTHERS_MS }, now)
  const expiry = linkExpiresAt === null || rank >= ENDED_RANK ? 0 : readAfterExpiry(linkExpiresAt)
  return expiry > now ? Math.min(next, expiry) : next
}

/** The same for an agreement: one that waits for its payer is about to change. */
export function nextAgreementPoll(
  { id, status, updatedAt }: Pick<Agreement, 'id' | 'status' | 'updatedAt'>,
  now: number,
): number | null {
  if (status === 'cancelled' || status === 'failed') return null
  const firstWait = status === 'created' ? FIRST_WAIT_MS[0] : FIRST_WAIT_OF_OTHERS_MS
  return pollAfter({ id, updatedAt, firstWait }, now)
}

type Polled = { readonly id: string; readonly updatedAt: string; readonly firstWait: number }

/** Waits of w, 2w, 4w … end w, 3w, 7w … after the first poll: what has passed since then tells how many there were. */
function pollAfter({ id, updatedAt, firstWait }: Polled, now: number): number {
  const spread = spreadOf(id)
  const first = Math.round(Date.parse(updatedAt) + AFTER_EVENT_MS * spread)
  if (now < first) return first
  const doublings = Math.round(Math.log2((now - first) / (firstWait * spread) + 1))
  return now + Math.round(Math.min(firstWait * 2 ** doublings, LONGEST_WAIT_MS) * spread)
}

/** A factor from 0.9 to 1.1, always the same for one id. */
function spreadOf(id: string): number {
  let hash = 0
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0
  // Ids that differ in their last characters alone would lie close together: a multiplication spreads them.
  const spread = (Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32
  return 1 - SPREAD + 2 * SPREAD * spread
}

/** When the read of a link without a payment is due, in milliseconds since the epoch. */
export function readAfterExpiry(expiresAt: number): number {
  return expiresAt + AFTER_EXPIRY_MS
}

/** When to read an unused link next that was found open at an instant; both in milliseconds since the epoch. */
export function readAfterUntouched(expiresAt: number, now: number): number {
  return now < expiresAt ? readAfterExpiry(expiresAt) : readAgain(now, 0)
}

/**
 * When to read again after a read that told nothing, in milliseconds since the epoch. `failures` counts the failed or
 * fruitless reads in a row before this one: the wait doubles with each.
 */
export function readAgain(now: number, failures: number): number {
  return now + Math.min(FIRST_TRY_AGAIN_MS * 2 ** failures, LONGEST_WAIT_MS)
}
