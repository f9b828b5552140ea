import type { Agreement } from '../agreements/agreement.ts'
import type { Payment } from '../payments/payment.ts'
import { isFinished, type Payout } from '../payouts/payout.ts'

/**
 * The reason for a read, most urgent first. `doubt`: a webhook needs confirmation, or contradicts the recorded state. `poll`: it is under
 * way, and its webhooks may be lost. `expiry`: a link has expired; when reads are late, a comparison of its day settles it as well.
 */
export const READ_CLASSES = ['doubt', 'poll', 'expiry'] as const
export type ReadClass = (typeof READ_CLASSES)[number]

/** The instant of a planned read, in milliseconds since the epoch, and its reason. */
export type PlannedRead = { readonly at: number; readonly readClass: ReadClass }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Delay between the expiry of a link and its read: the payments API detects the expiry a little later. */
const AFTER_EXPIRY_MS = MINUTE_MS

/** The payments API stops retrying a webhook after 45 minutes (docs/payments-api.md, section 6.1). */
const AFTER_EVENT_MS = 50 * MINUTE_MS

/** Wait after the first poll of what is under way; it doubles with each further one, up to a day. */
const SOON_MS = 15 * MINUTE_MS
/** The same of a payment by its rank: pending, authorised, waiting. Payments of other ranks are not under way. */
const WAITS_BY_RANK: readonly number[] = [SOON_MS, SOON_MS, HOUR_MS]
/** What has not changed for so long is not polled: comparisons of its day find what becomes of it. */
const POLLED_MS = 30 * DAY_MS
/** Waits are varied by up to this fraction, so that what changed together is not read together. */
const SPREAD = 0.1

/**
 * Returns the next read of a payment that is under way (pending, authorised, waiting), in case its webhooks were lost: after all retries of
 * the last event's webhook, then at waits that double, and when its link expires. Null for any other payment, and after 30 days: the daily
 * comparisons find what webhooks did not report of those. All instants are milliseconds since the epoch.
 */
export function nextPoll(
  { rank, updatedAt }: Pick<Payment, 'rank' | 'updatedAt'>,
  now: number,
  linkExpiresAt: number | null,
): PlannedRead | null {
  const firstMs = WAITS_BY_RANK[rank]
  if (firstMs === undefined) return null
  const poll = pollAfter(Date.parse(updatedAt), now, firstMs)
  const expiry = linkExpiresAt === null ? 0 : readAfterExpiry(linkExpiresAt)
  return expiry > now && (poll === null || expiry < poll.at) ? { at: expiry, readClass: 'expiry' } : poll
}

/** The same of an agreement: one with status `created` waits for its payer. */
export function nextAgreementPoll(
  { status, updatedAt }: Pick<Agreement, 'status' | 'updatedAt'>,
  now: number,
): PlannedRead | null {
  return status === 'created' ? pollAfter(Date.parse(updatedAt), now, SOON_MS) : null
}

/** The same of a payout until it is at its end; one that waits for its time is polled after it. */
export function nextPayoutPoll(
  { status, updatedAt, scheduledAt }: Pick<Payout, 'status' | 'updatedAt' | 'scheduledAt'>,
  now: number,
): PlannedRead | null {
  if (isFinished({ status })) return null
  return pollAfter(Math.max(Date.parse(updatedAt), scheduledAt === null ? 0 : Date.parse(scheduledAt)), now, SOON_MS)
}

/** The waits are w, 2w, 4w …, so the time since the first poll shows how many polls were made. */
function pollAfter(changedAt: number, now: number, firstMs: number): PlannedRead | null {
  if (now >= changedAt + POLLED_MS) return null
  const spread = spreadOf(changedAt)
  const first = Math.round(changedAt + AFTER_EVENT_MS * spread)
  if (now < first) return { at: first, readClass: 'poll' }
  const waited = Math.round(Math.log2((now - first) / (firstMs * spread) + 1))
  return { at: now + Math.round(Math.min(firstMs * 2 ** waited, DAY_MS) * spread), readClass: 'poll' }
}

/** Returns a factor from 0.9 to 1.1, always the same for one instant. */
function spreadOf(instant: number): number {
  // Consecutive instants would get similar factors: the multiplication spreads them.
  return 1 - SPREAD + 2 * SPREAD * ((Math.imul(instant, 0x9e3779b1) >>> 0) / 2 ** 32)
}

/** Returns when the read of a link without a payment is due, in milliseconds since the epoch: a minute after its expiry. */
export function readAfterExpiry(expiresAt: number): number {
  return expiresAt + AFTER_EXPIRY_MS
}

/**
 * Returns when to read an unused link again that was open at `now`; both in milliseconds since the epoch. A link that the payments API
 * keeps open after its expiry is read at waits that double, up to a day, and for 30 days.
 */
export function readAfterUntouched(expiresAt: number, now: number): number | null {
  if (now < expiresAt) return readAfterExpiry(expiresAt)
  if (now >= expiresAt + POLLED_MS) return null
  return now + Math.min(Math.max(now - readAfterExpiry(expiresAt), SOON_MS), DAY_MS)
}

/** First wait after a read without a result; it doubles with each further consecutive one, up to the longest. */
type Retries = { readonly firstMs: number; readonly longestMs: number }

const FRUITLESS: Retries = { firstMs: 15 * MINUTE_MS, longestMs: 14 * DAY_MS }
const FAILED: Retries = { firstMs: 15_000, longestMs: 14 * DAY_MS }
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

/**
 * Returns the plan with another poll, after a change at `now`. A read that is already due or that a doubt waits for, or a retry that is due
 * earlier, stays.
 */
export function replacePoll(plan: ReadPlan, next: PlannedRead | null, now: number): ReadPlan {
  const { dueAt, readClass, failures } = plan
  const isSoonest = (at: number) => at <= now || (failures > 0 && next !== null && at < next.at)
  const stays = dueAt !== null && (readClass === 'doubt' || isSoonest(dueAt))
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
