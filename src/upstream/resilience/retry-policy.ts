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

/** Not counting the first attempt. */
const MOST_RETRIES = 2

const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 2_000

/** Transient reasons, after which a GET may succeed; a body of the wrong form or size would be the same again. */
const PASSING: ReadonlySet<UnknownReason> = new Set([
  'timeout',
  'reset',
  'server-error',
  'empty',
  'not-utf8',
  'not-json',
])

/** Reasons that would still apply at an immediate retry. */
const FINAL: ReadonlySet<NotSentReason> = new Set(['closed', 'invalid-request', 'no-slot', 'breaker-open'])

/**
 * Returns whether a failed attempt is repeated. A POST is repeated only if it certainly did not reach the payments API, which has
 * no idempotency key (gap sheet, section 26). A GET is repeated after any transient failure; after a 429 only if the payments API
 * names a wait that fits the deadline.
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
 * Returns the milliseconds to wait before the next attempt: exponential with full jitter, and at least as long as the payments
 * API asked for. `random` returns a number from 0 up to, but not including, 1.
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
