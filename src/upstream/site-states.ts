import { createRecentSamples, quantile, type RecentSamples } from '../lib/recent-samples.ts'
import type { Logger } from '../observability/logger.ts'
import type { UpstreamMetrics } from '../observability/metrics/upstream-metrics.ts'
import type { Site } from './client/sites.ts'
import type { AttemptSeen } from './client/transport.ts'
import type { BreakerState } from './resilience/breaker.ts'
import type { ClientOptions } from './upstream-client.ts'

export type SiteState = {
  readonly breaker: BreakerState
  /** Whether the payments API answered 401 to the site's credentials and has accepted no request of the site since. */
  readonly credentialsRejected: boolean
  /** Time of the last successful answer of the payments API; null if there was none yet. */
  readonly lastAnswerAt: Date | null
  /** Time of the last call that failed; null if none did. A request that is refused is answered. */
  readonly lastFailureAt: Date | null
  /** Calls that have failed since the last answer. */
  readonly failuresInRow: number
}

/** The calls of a site in the last 15 minutes, the latest 1,000 at most. */
export type RecentCalls = {
  readonly count: number
  readonly failedCount: number
  /** Milliseconds within which 95 % of those that were answered were answered; null if none was. */
  readonly p95Ms: number | null
}

/** The state of each site, derived from the events of the upstream client. */
export type SiteStates = {
  /** Wraps a watch: records each event and passes it on. */
  noting(watch: UpstreamWatch): UpstreamWatch
  of(site: Pick<Site, 'id'>): SiteState
  recentOf(site: Pick<Site, 'id'>): RecentCalls
}

const UNTRIED: SiteState = {
  breaker: 'closed',
  credentialsRejected: false,
  lastAnswerAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
}

type Call = { readonly failed: boolean; readonly durationMs: number }
const RECENT = { most: 1_000, maxAgeMs: 15 * 60_000 } as const

export function createSiteStates(clock: () => Date): SiteStates {
  const states = new Map<string, SiteState>()
  const calls = new Map<string, RecentSamples<Call>>()
  const of: SiteStates['of'] = ({ id }) => states.get(id) ?? UNTRIED
  const note = (id: string, change: Partial<SiteState>) => states.set(id, { ...of({ id }), ...change })

  const noteCredentials = (attempt: AttemptSeen, { onCredentials }: UpstreamWatch) => {
    const { siteId } = attempt
    const rejected = rejectsCredentials(attempt)
    if (rejected === null || rejected === of({ id: siteId }).credentialsRejected) return
    note(siteId, { credentialsRejected: rejected })
    onCredentials({ siteId, rejected })
  }

  const noteCall = ({ siteId, outcome, durationMs }: AttemptSeen) => {
    const answered = typeof outcome === 'number'
    // An answer that refuses one request tells nothing about the others.
    const failed = !answered && outcome.detail.kind !== 'refused' && outcome.detail.kind !== 'forbidden'
    const recent = calls.get(siteId) ?? createRecentSamples<Call>(RECENT, clock)
    calls.set(siteId, recent)
    recent.add({ failed, durationMs: Math.ceil(durationMs) })
    if (failed) note(siteId, { lastFailureAt: clock(), failuresInRow: of({ id: siteId }).failuresInRow + 1 })
    else note(siteId, { failuresInRow: 0, ...(answered ? { lastAnswerAt: clock() } : {}) })
  }

  return {
    of,
    recentOf({ id }) {
      const recent = calls.get(id)?.list() ?? []
      const answered = recent.flatMap(({ failed, durationMs }) => (failed ? [] : [durationMs]))
      return { count: recent.length, failedCount: recent.length - answered.length, p95Ms: quantile(answered, 0.95) }
    },
    noting: (watch) => ({
      ...watch,
      observe(attempt) {
        noteCall(attempt)
        noteCredentials(attempt, watch)
        watch.observe(attempt)
      },
      onBreaker(change) {
        note(change.siteId, { breaker: change.state })
        watch.onBreaker(change)
      },
    }),
  }
}

/**
 * Returns whether an attempt shows that the payments API rejects the site's credentials (true) or accepts them (false); null if
 * it shows neither. A 403 shows neither: it may
 * concern one endpoint only, and so may a 401 to an access token that token only.
 */
function rejectsCredentials({ outcome, hasAccessToken }: AttemptSeen): boolean | null {
  if (typeof outcome === 'number') return false
  const { detail } = outcome
  if (detail.kind === 'refused') return false
  return detail.kind === 'credentials' && !hasAccessToken ? true : null
}

export type UpstreamWatch = Required<Pick<ClientOptions, 'observe' | 'onBreaker' | 'onMismatch' | 'onClock'>> & {
  /** Called when the payments API starts to refuse the credentials of a site, and when it accepts them again. */
  readonly onCredentials: (change: { readonly siteId: string; readonly rejected: boolean }) => void
}

/** Turns the events of the upstream client into metrics and log lines; log lines contain ids only. */
export function watchUpstream(metrics: UpstreamMetrics, logger: Logger): UpstreamWatch {
  return {
    observe: metrics.attempted,
    onClock: metrics.clockRead,
    onBreaker: (change) => {
      metrics.breakerChanged(change)
      const fields = { site: change.siteId, phase: change.state }
      if (change.state === 'open') logger.error(fields, 'the payments API is in trouble: its breaker has opened')
      else logger.info(fields, 'the breaker of the payments API has changed')
    },
    onCredentials: ({ siteId: site, rejected }) => {
      if (rejected) logger.error({ site }, 'ALERT: the payments API rejects the credentials of the site')
      else logger.info({ site }, 'the payments API accepts the credentials of the site again')
    },
    onMismatch: ({ siteId: site, operation, subjectId: ref }) => {
      metrics.mismatched(site)
      logger.error(
        { site, operation, ref },
        'ALERT: the payments API answered about another subject than the requested one',
      )
    },
  }
}
