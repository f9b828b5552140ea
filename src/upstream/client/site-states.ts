import type { BreakerState } from '../resilience/breaker.ts'
import type { UpstreamWatch } from './observe-upstream.ts'
import type { Site } from './sites.ts'
import type { AttemptSeen } from './transport.ts'

export type SiteState = {
  readonly breaker: BreakerState
  /** Whether the payments API answered 401 to the site's credentials and has accepted no request of the site since. */
  readonly credentialsRejected: boolean
  /** Time of the last successful answer of the payments API; null if there was none yet. */
  readonly lastAnswerAt: Date | null
}

/** The state of each site, derived from the events of the upstream client. */
export type SiteStates = {
  /** Wraps a watch: records each event and passes it on. */
  noting(watch: UpstreamWatch): UpstreamWatch
  of(site: Pick<Site, 'id'>): SiteState
}

const UNTRIED: SiteState = { breaker: 'closed', credentialsRejected: false, lastAnswerAt: null }

export function createSiteStates(clock: () => Date): SiteStates {
  const states = new Map<string, SiteState>()
  const of: SiteStates['of'] = ({ id }) => states.get(id) ?? UNTRIED
  const note = (id: string, change: Partial<SiteState>) => states.set(id, { ...of({ id }), ...change })

  const noteCredentials = (attempt: AttemptSeen, { onCredentials }: UpstreamWatch) => {
    const { siteId } = attempt
    const rejected = rejectsCredentials(attempt)
    if (rejected === null || rejected === of({ id: siteId }).credentialsRejected) return
    note(siteId, { credentialsRejected: rejected })
    onCredentials({ siteId, rejected })
  }

  return {
    of,
    noting: (watch) => ({
      ...watch,
      observe(attempt) {
        if (typeof attempt.outcome === 'number') note(attempt.siteId, { lastAnswerAt: clock() })
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
