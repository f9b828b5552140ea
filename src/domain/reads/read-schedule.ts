import type { Agreement } from '../agreements/agreement.ts'
import { FINAL_RANK } from '../payments/payment-report.ts'
import type { Payment } from '../payments/payment.ts'
import { isFinished, type Payout } from '../payouts/payout.ts'

/**
 * The reason for a read, most urgent first. `doubt`: a webhook needs confirmation, or contradicts the recorded state. `expiry`: a link has
 * expired. `poll`: without a specific reason, in case webhooks were lost.
 */
export const READ_CLASSES = ['doubt', 'expiry', 'poll'] as const
export type ReadClass = (typeof READ_CLASSES)[number]

/** The instant of a planned read, in milliseconds since the epoch, and its reason. */
export type PlannedRead = { readonly at: number; readonly readClass: ReadClass }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Default time after a payment's last change in which it can be refunded or disputed; it is not polled afterwards. */
export const REFUND_WINDOW_MS = 180 * DAY_MS

/** Delay between the expiry of a link and its read: the payments API detects the expiry a little later. */
const AFTER_EXPIRY_MS = MINUTE_MS

const EXPIRY_SLOT_MS = 30 * SECOND_MS

/** The payments API stops retrying a webhook after 45 minutes (docs/payments-api.md, section 6.1). */
const AFTER_EVENT_MS = 50 * MINUTE_MS

/** Longest wait between two polls of a payout that waits for its time: it may be cancelled elsewhere. */
const WHILE_SCHEDULED_MS = 7 * DAY_MS

/** Wait after the first poll, and the factor for each further wait, up to the longest. */
type Waits = { readonly firstMs: number; readonly factor: number; readonly longestMs: number }

const SOON: Waits = { firstMs: 15 * MINUTE_MS, factor: 2, longestMs: 14 * DAY_MS }
/**
 * By the payment's rank: the sooner the next change is likely, the shorter. Ended payments rarely change, so their polls become rare fast.
 */
const WAITS_BY_RANK: readonly Waits[] = [SOON, SOON, { ...SOON, firstMs: HOUR_MS }]
const AT_REST: Waits = { firstMs: DAY_MS, factor: 6, longestMs: Number.POSITIVE_INFINITY }

/** A poll that is delayed by more than this shows that the budget does not suffice for all reads. */
const BEHIND_MS = HOUR_MS
const FAR_BEHIND_MS = 6 * HOUR_MS

/** Polling time of failed and expired payments: late money, or a retry, arrives within days. */
const UNPAID_WINDOW_MS = 7 * DAY_MS

/**
 * Waits are varied by up to this fraction. All payments that last changed in the same hour have the same factor, so they become due
 * together, and one page of a list of the payments API confirms many of them.
 */
const SPREAD = 0.1
const SLOT_MS = HOUR_MS

/** First rank at which the expiry of the link has no effect. */
const ENDED_RANK = 3

/** The data for planning a poll, besides the payment. All in milliseconds; instants since the epoch. */
type PollPlan = {
  readonly linkExpiresAt: number | null
  /** Time after its last change in which the payment is polled. */
  readonly windowMs: number
  /** Delay of the previous poll. */
  readonly lateMs: number
}

/**
 * Returns the next read of a payment without a specific reason, in case its webhooks were lost: after all retries of the last event's
 * webhook, then at increasing waits while nothing changes, when its link expires, and for the last time `windowMs` after its last change,
 * or a week after it failed or expired. While reads are delayed, payments at rest are polled less often, so that the backlog stays bounded
 * at any rate of payments. Null for a payment that needs no more reads.
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

/** Polls after a day, a week and six weeks; with delayed reads after a day and two weeks; with long delays only after two weeks. */
function waitsAtRest(lateMs: number): Waits {
  if (lateMs >= FAR_BEHIND_MS) return { ...AT_REST, firstMs: 14 * DAY_MS, factor: 14 }
  return lateMs >= BEHIND_MS ? { ...AT_REST, factor: 14 } : AT_REST
}

/** The same for an agreement. An agreement with status `created` waits for its payer, and is about to change. */
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

/**
 * The same for a payout. One that waits for its time is not polled often before it; afterwards its next change is near. Null once nobody
 * is paid any more.
 */
export function nextPayoutPoll(
  { status, updatedAt, scheduledAt }: Pick<Payout, 'status' | 'updatedAt' | 'scheduledAt'>,
  now: number,
  windowMs: number,
): PlannedRead | null {
  if (isFinished({ status })) return null
  const startsAt = Math.max(Date.parse(updatedAt), scheduledAt === null ? 0 : Date.parse(scheduledAt))
  const at = pollAfter(startsAt, now, { waits: SOON, windowMs })
  if (at === null) return null
  return { at: now < startsAt ? Math.min(at, now + WHILE_SCHEDULED_MS) : at, readClass: 'poll' }
}

type Polling = { readonly waits: Waits; readonly windowMs: number }

/** The waits are w, fw, f²w …, so the time since the first poll shows how many polls were made. */
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

/** Returns a factor from 0.9 to 1.1, always the same for one slot of time. */
function spreadOf(slot: number): number {
  // Consecutive slots would get similar factors: the multiplication spreads them.
  return 1 - SPREAD + 2 * SPREAD * ((Math.imul(slot, 0x9e3779b1) >>> 0) / 2 ** 32)
}

/**
 * Returns whether a read that is planned for `dueAt` may be made now, together with its neighbours: it is due, or due within the spread of
 * its waits. All in milliseconds since the epoch.
 */
export function mayReadEarly(dueAt: number, changedAt: number, now: number): boolean {
  return dueAt <= now + Math.max(0, now - changedAt) * SPREAD
}

/**
 * Returns when the read of a link without a payment is due, in milliseconds since the epoch: a minute after its expiry, rounded up to a
 * half minute, so that links that expire together are read together.
 */
export function readAfterExpiry(expiresAt: number): number {
  return Math.ceil((expiresAt + AFTER_EXPIRY_MS) / EXPIRY_SLOT_MS) * EXPIRY_SLOT_MS
}

/**
 * Returns when to read an unused link again that was open at `now`; both in milliseconds since the epoch. A link that the payments API
 * keeps open after its expiry is read at increasing waits, and not after `windowMs`.
 */
export function readAfterUntouched(expiresAt: number, now: number, windowMs: number): number | null {
  if (now < expiresAt) return readAfterExpiry(expiresAt)
  if (now >= expiresAt + windowMs) return null
  return now + Math.min(Math.max(now - readAfterExpiry(expiresAt), FRUITLESS.firstMs), FRUITLESS.longestMs)
}

/** First wait after a read without a result; it doubles with each further consecutive one, up to the longest. */
type Retries = { readonly firstMs: number; readonly longestMs: number }

const FRUITLESS: Retries = { firstMs: 15 * MINUTE_MS, longestMs: 14 * DAY_MS }
const FAILED: Retries = { firstMs: 15 * SECOND_MS, longestMs: 14 * DAY_MS }
/** After this many consecutive retries none is planned: after about seven months of failed reads, or nine of fruitless ones. */
const MOST_RETRIES = 30

/**
 * Returns when to read again after a read without usable content, in milliseconds since the epoch; null for never. `failures` is the number
 * of consecutive failed or fruitless reads before this one.
 */
export function readAgain(now: number, failures: number): number | null {
  return retryAfter(FRUITLESS, now, failures)
}

/** The same after a read that failed. */
export function readAfterFailure(now: number, failures: number): number | null {
  return retryAfter(FAILED, now, failures)
}

function retryAfter({ firstMs, longestMs }: Retries, now: number, failures: number): number | null {
  return failures >= MOST_RETRIES ? null : now + Math.min(firstMs * 2 ** failures, longestMs)
}

/** The plan for the next read. All instants are milliseconds since the epoch. */
export type ReadPlan = {
  /** Null if no read is planned; then the class has no meaning. */
  readonly dueAt: number | null
  readonly readClass: ReadClass
  /** Number of consecutive reads that failed or returned nothing usable. */
  readonly failures: number
}

/** Returns the plan after a read with a result. Null plans no read. */
export function planAnew(plan: ReadPlan, next: PlannedRead | null): ReadPlan {
  return { dueAt: next?.at ?? null, readClass: next?.readClass ?? plan.readClass, failures: 0 }
}

/** Returns the plan after a read without a result: a retry at an instant, or none if it is null. */
export function planRetry(plan: ReadPlan, dueAt: number | null): ReadPlan {
  return { ...plan, dueAt, failures: plan.failures + 1 }
}

/**
 * Returns the plan with a read at an instant, or earlier. The age of a doubt counts from the instant at which it arose, so a doubt replaces
 * other reads, even if they are due earlier. Of two doubts, or of two other reads, the one that is due first stays.
 */
export function planNoLater(plan: ReadPlan, { at, readClass }: PlannedRead): ReadPlan {
  const { dueAt, readClass: planned } = plan
  const isSooner = dueAt !== null && dueAt < at
  if (readClass === 'doubt') return isSooner && planned === 'doubt' ? plan : { ...plan, dueAt: at, readClass }
  const keepsClass = dueAt !== null && (isSooner || planned === 'doubt')
  return { ...plan, dueAt: isSooner ? dueAt : at, readClass: keepsClass ? planned : readClass }
}

/** Returns the plan with another poll, after a change at `now`. A read that is already due, or a retry that is due earlier, stays. */
export function replacePoll(plan: ReadPlan, next: PlannedRead | null, now: number): ReadPlan {
  const { dueAt, failures } = plan
  const stays = dueAt !== null && (dueAt <= now || (failures > 0 && next !== null && dueAt < next.at))
  return stays ? plan : { dueAt: next?.at ?? null, readClass: next?.readClass ?? 'poll', failures }
}

/** Prefix of a currency if the site of a payment is not recorded: no site id can begin with it. */
const CURRENCY_MARK = '*'

/**
 * Returns the key by which the due reads of a payment are selected: the id of its site or, if neither its link nor its payin is recorded,
 * its currency.
 */
export function readSiteOf(siteId: string | null, currency: string | null): string {
  return siteId ?? `${CURRENCY_MARK}${currency ?? ''}`
}

/** Returns the site id or the currency from which `readSiteOf` made the key. */
export function parseReadSite(readSite: string): { readonly siteId: string } | { readonly currency: string } {
  return readSite.startsWith(CURRENCY_MARK) ? { currency: readSite.slice(CURRENCY_MARK.length) } : { siteId: readSite }
}

/** Returns whether the key is a currency, because the site is not recorded. */
export function isPickedByCurrency(readSite: string): boolean {
  return readSite.startsWith(CURRENCY_MARK)
}
