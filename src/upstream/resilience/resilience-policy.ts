import {
  breakerOpen,
  type NotSentReason,
  notSent,
  type UnknownReason,
  UpstreamFault,
  type FaultDetail,
} from '../upstream-fault.ts'
import { type Breaker, type BreakerSettings, type BreakerState, createBreaker, type CallResult } from './breaker.ts'

/**
 * Resilience policy of one site: a semaphore, a circuit breaker and a retry budget, so that trouble with one site does not affect
 * another.
 */
export type ResiliencePolicy = {
  readonly budget: RetryBudget
  /** Whether a request would be rejected at once. */
  isClosedOff(): boolean
  /** Makes one request. Rejects with `not-sent` if the breaker is open, or if no slot becomes free within `waitMs`. */
  pass<Answer>(waitMs: number, request: () => Promise<Answer>): Promise<Answer>
}

type ResilienceOptions = {
  readonly concurrent: number
  readonly breaker: Partial<BreakerSettings> | undefined
  readonly onBreaker: (state: BreakerState) => void
}

export function createResiliencePolicy({
  concurrent,
  breaker: settings,
  onBreaker,
}: ResilienceOptions): ResiliencePolicy {
  const semaphore = createSemaphore(concurrent)
  const breaker = createBreaker(settings, onBreaker)

  return {
    budget: createRetryBudget(),
    isClosedOff: () => breaker.closedOffMs() > 0,
    pass: async (waitMs, request) => {
      if (breaker.closedOffMs() > 0) throw turnedAway(breaker)
      const release = await semaphore.acquire(waitMs)
      if (release === null) throw notSent('no-slot')
      try {
        return await judged(breaker, request)
      } finally {
        release()
      }
    },
  }
}

/**
 * The breaker is checked again once there is a slot: it may have opened during the wait, and the request is then rejected at
 * once.
 */
async function judged<Answer>(breaker: Breaker, request: () => Promise<Answer>): Promise<Answer> {
  const ended = breaker.enter()
  if (ended === null) throw turnedAway(breaker)
  try {
    const answer = await request()
    ended('sound')
    return answer
  } catch (error) {
    ended(callResultOf(error))
    throw error
  }
}

function turnedAway(breaker: Breaker): UpstreamFault {
  return breakerOpen(Math.max(Math.ceil(breaker.closedOffMs() / 1000), 1))
}

/** Reasons that mean the payments API could not be reached. */
const OUT_OF_REACH: ReadonlySet<NotSentReason> = new Set(['dns', 'refused', 'tls', 'connect-timeout', 'unreachable'])
const IN_TROUBLE: ReadonlySet<UnknownReason> = new Set(['timeout', 'reset', 'server-error'])

/** A refusal or a request to slow down is an answer; a body of the wrong form is no sign of an outage. */
function callResultOf(error: unknown): CallResult {
  if (!(error instanceof UpstreamFault)) return 'silent'
  const { detail } = error
  if (detail.kind === 'not-sent') return OUT_OF_REACH.has(detail.reason) ? 'trouble' : 'silent'
  return detail.kind === 'unknown' && IN_TROUBLE.has(detail.reason) ? 'trouble' : 'sound'
}

type RetryBudget = {
  /** Counts the first attempt of a request, which adds a tenth of a retry. */
  earn(): void
  /** Takes one retry; returns false if there is none left. */
  spend(): boolean
  /** Whole retries that are left. */
  left(): number
}

/** Initial reserve and upper limit: enough to hide a brief fault before the share below takes effect. */
const SAVED_AT_MOST = 10

const EARNED_PER_REQUEST = 0.1

/**
 * Limits retries to a tenth of the requests, so that we do not add load while the payments API is in trouble: beyond a small
 * reserve, ten requests earn one retry.
 */
export function createRetryBudget(): RetryBudget {
  let saved = SAVED_AT_MOST
  return {
    earn: () => {
      saved = Math.min(SAVED_AT_MOST, saved + EARNED_PER_REQUEST)
    },
    spend: () => {
      if (saved < 1) return false
      saved -= 1
      return true
    },
    left: () => Math.floor(saved),
  }
}

export type Method = 'GET' | 'POST'

type FailedAttempt = {
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

export type Semaphore = {
  /**
   * Waits for a free slot, first come, first served. Returns the function that releases it, or null if none is free within
   * `waitMs`.
   */
  acquire(waitMs: number): Promise<(() => void) | null>
}

/** A bulkhead: at most `limit` holders at once. */
export function createSemaphore(limit: number): Semaphore {
  let free = limit
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }

  return {
    acquire: (waitMs) => {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once(release))
      }
      return new Promise((resolve) => {
        const grant = (): void => {
          waiting.delete(grant)
          clearTimeout(timer)
          resolve(once(release))
        }
        const timer = setTimeout(() => {
          waiting.delete(grant)
          resolve(null)
        }, waitMs)
        waiting.add(grant)
      })
    },
  }
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
