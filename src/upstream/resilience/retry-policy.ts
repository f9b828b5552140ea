import type { FaultDetail, NotSentReason, UnknownReason } from '../client/upstream-fault.ts'

export type Method = 'GET' | 'POST'

export type FailedAttempt = {
  readonly method: Method
  /** 1 for the first. */
  readonly attempt: number
  readonly fault: FaultDetail
  /** Milliseconds left of the deadline over all attempts. */
  readonly remainingMs: number
}

/** After the first attempt. */
const MOST_RETRIES = 2

const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 2_000

/** The same question may get a better answer; a body of the wrong shape or size stays what it is. */
const PASSING: ReadonlySet<UnknownReason> = new Set([
  'timeout',
  'reset',
  'server-error',
  'empty',
  'not-utf8',
  'not-json',
])

/** A request that was not sent for one of these would not be sent a moment later either. */
const FINAL: ReadonlySet<NotSentReason> = new Set(['closed', 'invalid-request', 'no-slot', 'breaker-open'])

/**
 * Whether a failed attempt is followed by another. A POST is sent again only when it is certain that the payments API was
 * never asked: it knows no idempotency key (gap sheet, section 26). A GET is, after whatever may pass; after a 429 only
 * when the payments API names a wait that fits the deadline.
 */
export function shouldRetry({ method, attempt, fault, remainingMs }: FailedAttempt): boolean {
  if (attempt > MOST_RETRIES || remainingMs <= askedWaitMs(fault)) return false
  switch (fault.kind) {
    case 'not-sent':
      return !FINAL.has(fault.reason)
    case 'unknown':
      return method === 'GET' && PASSING.has(fault.reason)
    case 'throttled':
      return method === 'GET' && fault.retryAfterSeconds !== null
    default:
      return false
  }
}

/**
 * Milliseconds to wait before the next attempt: exponential with full jitter, and never less than the payments API asked
 * for. `random` gives a number from 0 up to, but not including, 1.
 */
export function retryDelayMs(
  { attempt, fault }: Pick<FailedAttempt, 'attempt' | 'fault'>,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1))
  return askedWaitMs(fault) + Math.floor(random() * ceiling)
}

function askedWaitMs(fault: FaultDetail): number {
  return 'retryAfterSeconds' in fault ? (fault.retryAfterSeconds ?? 0) * 1000 : 0
}
