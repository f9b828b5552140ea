import type { Agreement } from '../agreements/agreement.ts'
import type { Payment } from '../payments/payment.ts'

/**
 * Why a read is planned, most urgent first. `doubt`: a webhook is to be confirmed, or contradicts what is known. `expiry`:
 * a link has expired. `poll`: nothing asks for it, in case webhooks were lost.
 */
export const READ_CLASSES = ['doubt', 'expiry', 'poll'] as const
export type ReadClass = (typeof READ_CLASSES)[number]

/** When something is read, in milliseconds since the epoch, and why. */
export type PlannedRead = { readonly at: number; readonly readClass: ReadClass }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long after a payment's last change it can be refunded or disputed, by default; nothing is polled after it. */
export const REFUND_WINDOW_MS = 180 * DAY_MS

/** How long after its expiry a link is read: the payments API itself needs a moment to notice. */
const AFTER_EXPIRY_MS = MINUTE_MS

const EXPIRY_SLOT_MS = 30 * SECOND_MS

/** The payments API gives up on a webhook after 45 minutes (docs/payments-api.md, section 6.1). */
const AFTER_EVENT_MS = 50 * MINUTE_MS

/** The first wait after the first poll, and the factor by which each further one is longer. */
type Waits = { readonly firstMs: number; readonly factor: number; readonly longestMs: number }

const SOON: Waits = { firstMs: 15 * MINUTE_MS, factor: 2, longestMs: 14 * DAY_MS }
/** By the payment's rank: the closer the next change, the sooner. What has ended changes rarely: polls thin out fast. */
const WAITS_BY_RANK: readonly Waits[] = [SOON, SOON, { ...SOON, firstMs: HOUR_MS }]
const AT_REST: Waits = { firstMs: DAY_MS, factor: 6, longestMs: Number.POSITIVE_INFINITY }

/** A poll that is later than this tells that the budget does not suffice for all. */
const BEHIND_MS = HOUR_MS
const FAR_BEHIND_MS = 6 * HOUR_MS

/** For how long what failed or expired is polled: money that comes late, or a second try, comes within days. */
const UNPAID_WINDOW_MS = 7 * DAY_MS

/**
 * Waits are this much longer or shorter. All that last changed in one hour has the same factor: so neighbours in time fall
 * due together, and one page of a list of the payments API confirms many of them.
 */
const SPREAD = 0.1
const SLOT_MS = HOUR_MS

/** After this rank nothing can come. */
const FINAL_RANK = 6
/** The first rank at which an expired link changes nothing. */
const ENDED_RANK = 3

/** What a poll is planned by, besides the payment. All in milliseconds; instants since the epoch. */
export type PollPlan = {
  readonly linkExpiresAt: number | null
  /** How long after its last change the payment is polled. */
  readonly windowMs: number
  /** How long after it fell due the poll before was made. */
  readonly lateMs: number
}

/**
 * When a payment is read next although nothing asks for it, in case its webhooks never came: once every retry of the
 * last event's webhook is over, then at growing waits for as long as nothing changes, when its link expires, and for the
 * last time `windowMs` after its last change, or a week after it failed or expired. While reads are behind, those of
 * payments at rest thin out, so that the backlog stays bounded at any rate of payments. Null for a payment that is not
 * read any more.
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

/** A day, a week, six weeks; while reads are behind a day and two weeks; far behind, two weeks alone. */
function waitsAtRest(lateMs: number): Waits {
  if (lateMs >= FAR_BEHIND_MS) return { ...AT_REST, firstMs: 14 * DAY_MS, factor: 14 }
  return lateMs >= BEHIND_MS ? { ...AT_REST, factor: 14 } : AT_REST
}

/** The same for an agreement: one that waits for its payer is about to change. */
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

/** Waits of w, fw, f²w …: what has passed since the first poll tells how many there were. */
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

/** A factor from 0.9 to 1.1, always the same for one slot of time. */
function spreadOf(slot: number): number {
  // Slots that follow each other would lie close together: a multiplication spreads them.
  return 1 - SPREAD + 2 * SPREAD * ((Math.imul(slot, 0x9e3779b1) >>> 0) / 2 ** 32)
}

/**
 * Whether a read that is planned for `dueAt` may as well be made now, together with its neighbours: it is due, or so soon
 * that the spread of the waits is as long. All in milliseconds since the epoch.
 */
export function mayReadEarly(dueAt: number, changedAt: number, now: number): boolean {
  return dueAt <= now + Math.max(0, now - changedAt) * SPREAD
}

/**
 * When the read of a link without a payment is due, in milliseconds since the epoch: a minute after its expiry, and at the
 * next half minute, so that links that expire together are read together.
 */
export function readAfterExpiry(expiresAt: number): number {
  return Math.ceil((expiresAt + AFTER_EXPIRY_MS) / EXPIRY_SLOT_MS) * EXPIRY_SLOT_MS
}

/**
 * When to read an unused link next that was found open at an instant; both in milliseconds since the epoch. One that the
 * payments API keeps open beyond its time is read at growing waits, and not any more after `windowMs`.
 */
export function readAfterUntouched(expiresAt: number, now: number, windowMs: number): number | null {
  if (now < expiresAt) return readAfterExpiry(expiresAt)
  if (now >= expiresAt + windowMs) return null
  return now + Math.min(Math.max(now - readAfterExpiry(expiresAt), FRUITLESS.firstMs), FRUITLESS.longestMs)
}

/** First wait after a read without a result; doubles with each further one in a row. */
type Retries = { readonly firstMs: number; readonly longestMs: number }

const FRUITLESS: Retries = { firstMs: 15 * MINUTE_MS, longestMs: 14 * DAY_MS }
const FAILED: Retries = { firstMs: 15 * SECOND_MS, longestMs: 14 * DAY_MS }
/** After so many in a row, about half a year, only a webhook has something read again. */
const MOST_RETRIES = 30

/**
 * When to read again after a read that told nothing, in milliseconds since the epoch; null for never. `failures` counts
 * the failed or fruitless reads in a row before this one.
 */
export function readAgain(now: number, failures: number): number | null {
  return retryAfter(FRUITLESS, now, failures)
}

/** The same after a read that was not answered. */
export function readAfterFailure(now: number, failures: number): number | null {
  return retryAfter(FAILED, now, failures)
}

function retryAfter({ firstMs, longestMs }: Retries, now: number, failures: number): number | null {
  return failures >= MOST_RETRIES ? null : now + Math.min(firstMs * 2 ** failures, longestMs)
}
