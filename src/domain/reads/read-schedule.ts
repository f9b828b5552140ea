import type { Agreement } from '../agreements/agreement.ts'
import type { Payment } from '../payments/payment.ts'

/**
 * Why a read is planned, most urgent first. `doubt`: a webhook has to be confirmed, or contradicts the recorded state. `expiry`: a link
 * has expired. `poll`: without a cause, in case webhooks were lost.
 */
export const READ_CLASSES = ['doubt', 'expiry', 'poll'] as const
export type ReadClass = (typeof READ_CLASSES)[number]

/** Instant of a planned read, in milliseconds since the epoch, and its cause. */
export type PlannedRead = { readonly at: number; readonly readClass: ReadClass }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Default time after a payment's last change during which it can be refunded or disputed. It is not polled after that. */
export const REFUND_WINDOW_MS = 180 * DAY_MS

/** Time between the expiry of a link and its read: the payments API itself needs a moment to mark it expired. */
const AFTER_EXPIRY_MS = MINUTE_MS

const EXPIRY_SLOT_MS = 30 * SECOND_MS

/** The payments API stops retrying a webhook after 45 minutes (docs/payments-api.md, section 6.1). */
const AFTER_EVENT_MS = 50 * MINUTE_MS

/** The first wait after the first poll, and the factor between successive waits. */
type Waits = { readonly firstMs: number; readonly factor: number; readonly longestMs: number }

const SOON: Waits = { firstMs: 15 * MINUTE_MS, factor: 2, longestMs: 14 * DAY_MS }
/** By the payment's rank: the sooner a change is likely, the shorter. Completed payments rarely change: their polls thin out fast. */
const WAITS_BY_RANK: readonly Waits[] = [SOON, SOON, { ...SOON, firstMs: HOUR_MS }]
const AT_REST: Waits = { firstMs: DAY_MS, factor: 6, longestMs: Number.POSITIVE_INFINITY }

/** A poll that is later than this shows that the budget does not suffice for all. */
const BEHIND_MS = HOUR_MS
const FAR_BEHIND_MS = 6 * HOUR_MS

/** Time during which a failed or expired payment is polled: a late payment or a retry comes within days. */
const UNPAID_WINDOW_MS = 7 * DAY_MS

/**
 * Share by which waits vary. All subjects that last changed in the same hour have the same factor, so neighbours in time are due together,
 * and one list page of the payments API confirms many of them.
 */
const SPREAD = 0.1
const SLOT_MS = HOUR_MS

/** After this rank no change is possible. */
const FINAL_RANK = 6
/** The first rank at which the expiry of a link changes nothing. */
const ENDED_RANK = 3

/** Conditions of a poll besides the payment. All in milliseconds; instants since the epoch. */
export type PollPlan = {
  readonly linkExpiresAt: number | null
  /** Time after its last change during which the payment is polled. */
  readonly windowMs: number
  /** Delay of the previous poll after it fell due. */
  readonly lateMs: number
}

/**
 * Returns the next poll of a payment, in case its webhooks were lost: when all retries of the last event's webhook are over, then at
 * growing waits as long as nothing changes, when its link expires, and for the last time `windowMs` after its last change, or a week after
 * it failed or expired. While reads are late, polls of payments at rest are thinned out, so that the backlog stays bounded at any rate of
 * payments. Null if the payment is not read any more.
 */
export function nextPoll(
  { rank, updatedAt }: Pick<Payment, 'rank' | 'updatedAt'>,
  now: number,
  { linkExpiresAt, windowMs, lateMs }: PollPlan,
): PlannedRead | null {
  if (rank >= FINAL_RANK || (rank === ENDED_RANK && lateMs >= FAR_BEHIND_MS)) return null
  const at = pollAfter(Date.parse(updatedAt), now, {
    waits: WAITS_BY_RANK[rank] ?? waitsAtRest(lateMs),
    windowMs: rank === ENDED_RANK ? Math.min(windowMs, UNPAID_WINDOW_MS) : windowMs,
  })
  const expiry = linkExpiresAt === null || rank >= ENDED_RANK ? 0 : readAfterExpiry(linkExpiresAt)
  if (expiry > now && (at === null || expiry < at)) return { at: expiry, readClass: 'expiry' }
  return at === null ? null : { at, readClass: 'poll' }
}

/** A day, a week, six weeks; while reads are late a day and two weeks; if they are very late, only two weeks. */
function waitsAtRest(lateMs: number): Waits {
  if (lateMs >= FAR_BEHIND_MS) return { ...AT_REST, firstMs: 14 * DAY_MS, factor: 14 }
  return lateMs >= BEHIND_MS ? { ...AT_REST, factor: 14 } : AT_REST
}

/** Returns the next poll of an agreement; one that waits for its payer is likely to change soon. */
export function nextAgreementPoll(
  { status, updatedAt }: Pick<Agreement, 'status' | 'updatedAt'>,
  now: number,
  windowMs: number,
): PlannedRead | null {
  if (status === 'cancelled' || status === 'failed') return null
  const waits = status === 'created' ? SOON : { ...SOON, firstMs: DAY_MS }
  const at = pollAfter(Date.parse(updatedAt), now, { waits, windowMs })
  return at === null ? null : { at, readClass: 'poll' }
}

type Polling = { readonly waits: Waits; readonly windowMs: number }

/** Waits are w, fw, f²w …: the time since the first poll determines their number. */
function pollAfter(changedAt: number, now: number, { waits, windowMs }: Polling): number | null {
  const { firstMs, factor, longestMs } = waits
  const end = changedAt + windowMs
  if (now >= end) return null
  const spread = spreadOf(Math.floor(changedAt / SLOT_MS))
  const first = Math.round(changedAt + AFTER_EVENT_MS * spread)
  if (now < first) return Math.min(first, end)
  const passed = ((now - first) * (factor - 1)) / (firstMs * spread)
  const waited = Math.round(Math.log(passed + 1) / Math.log(factor))
  return Math.min(now + Math.round(Math.min(firstMs * factor ** waited, longestMs) * spread), end)
}

/** Returns a factor from 0.9 to 1.1, constant for one slot of time. */
function spreadOf(slot: number): number {
  // Consecutive slots would have similar factors: the multiplication distributes them.
  return 1 - SPREAD + 2 * SPREAD * ((Math.imul(slot, 0x9e3779b1) >>> 0) / 2 ** 32)
}

/**
 * Returns whether a read that is planned for `dueAt` can be made now, together with its neighbours: it is due, or due within the spread of
 * the waits. All in milliseconds since the epoch.
 */
export function mayReadEarly(dueAt: number, changedAt: number, now: number): boolean {
  return dueAt <= now + Math.max(0, now - changedAt) * SPREAD
}

/**
 * Returns when the read of a link without a payment is due, in milliseconds since the epoch: a minute after its expiry, rounded up to half
 * a minute, so that links that expire together are read together.
 */
export function readAfterExpiry(expiresAt: number): number {
  return Math.ceil((expiresAt + AFTER_EXPIRY_MS) / EXPIRY_SLOT_MS) * EXPIRY_SLOT_MS
}

/**
 * Returns when to read an unused link again that was open at `now`; all in milliseconds since the epoch. A link that the payments API
 * keeps open after its expiry is read at growing waits, until `windowMs`.
 */
export function readAfterUntouched(expiresAt: number, now: number, windowMs: number): number | null {
  if (now < expiresAt) return readAfterExpiry(expiresAt)
  if (now >= expiresAt + windowMs) return null
  return now + Math.min(Math.max(now - readAfterExpiry(expiresAt), FRUITLESS.firstMs), FRUITLESS.longestMs)
}

/** First wait after a read without a usable result; doubles with each further one. */
type Retries = { readonly firstMs: number; readonly longestMs: number }

const FRUITLESS: Retries = { firstMs: 15 * MINUTE_MS, longestMs: 14 * DAY_MS }
const FAILED: Retries = { firstMs: 15 * SECOND_MS, longestMs: 14 * DAY_MS }
/** After this many in a row, about half a year, only a webhook causes another read. */
const MOST_RETRIES = 30

/**
 * Returns when to retry a read without a usable result, in milliseconds since the epoch; null for never. `failures` is the number of
 * consecutive reads before this one that failed or had no usable result.
 */
export function readAgain(now: number, failures: number): number | null {
  return retryAfter(FRUITLESS, now, failures)
}

/** Returns when to retry a read without a response. */
export function readAfterFailure(now: number, failures: number): number | null {
  return retryAfter(FAILED, now, failures)
}

function retryAfter({ firstMs, longestMs }: Retries, now: number, failures: number): number | null {
  return failures >= MOST_RETRIES ? null : now + Math.min(firstMs * 2 ** failures, longestMs)
}
