import { createSemaphore } from '../../lib/semaphore.ts'
import {
  breakerOpen,
  type NotSentReason,
  notSent,
  type UnknownReason,
  UpstreamFault,
} from '../client/upstream-fault.ts'
import type { BreakerShare } from './breaker-sharing.ts'
import { type Breaker, type BreakerSettings, type BreakerState, createBreaker, type CallResult } from './breaker.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'

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

export type ResilienceOptions = {
  readonly concurrent: number
  readonly breaker: Partial<BreakerSettings> | undefined
  readonly onBreaker: (state: BreakerState) => void
  /** What other nodes know of this site; null for one process. */
  readonly share: BreakerShare | null
}

export function createResiliencePolicy({
  concurrent,
  breaker: settings,
  onBreaker,
  share,
}: ResilienceOptions): ResiliencePolicy {
  const semaphore = createSemaphore(concurrent)
  const breaker = createBreaker(settings, (state, cause) => {
    onBreaker(state)
    if (cause === 'own' && state !== 'half-open') share?.tell(state)
  })
  share?.onTold(breaker.follow)
  let asking = false

  /** Makes the probe, if no other node does; the requests that come meanwhile are rejected. */
  async function probed<Answer>(others: BreakerShare, request: () => Promise<Answer>): Promise<Answer> {
    if (asking) throw turnedAway(breaker)
    asking = true
    const mayProbe = await others.mayProbe()
    asking = false
    if (!mayProbe) {
      breaker.postpone()
      throw turnedAway(breaker)
    }
    try {
      return await judged(breaker, request)
    } finally {
      others.probeEnded()
    }
  }

  return {
    budget: createRetryBudget(),
    isClosedOff: () => breaker.closedOffMs() > 0,
    pass: async (waitMs, request) => {
      if (breaker.closedOffMs() > 0) throw turnedAway(breaker)
      const release = await semaphore.acquire(waitMs)
      if (release === null) throw notSent('no-slot')
      try {
        return await (share !== null && breaker.isProbeDue() ? probed(share, request) : judged(breaker, request))
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
