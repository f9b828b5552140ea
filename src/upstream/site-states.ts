import type { BreakerState } from './breaker.ts'
import type { Site } from './sites.ts'
import type { UpstreamWatch } from './watch.ts'

export type SiteState = {
  readonly breaker: BreakerState
  /** When the service last answered with success; null before it has. */
  readonly lastAnswerAt: Date | null
}

/** How each site fares with the service, from what the client of the service tells. */
export type SiteStates = {
  /** The same watch, which notes what it is told on the way. */
  noting(watch: UpstreamWatch): UpstreamWatch
  of(site: Pick<Site, 'id'>): SiteState
}

const UNTRIED: SiteState = { breaker: 'closed', lastAnswerAt: null }

export function createSiteStates(clock: () => Date): SiteStates {
  const states = new Map<string, SiteState>()
  const of: SiteStates['of'] = ({ id }) => states.get(id) ?? UNTRIED
  const note = (id: string, change: Partial<SiteState>) => states.set(id, { ...of({ id }), ...change })

  return {
    of,
    noting: (watch) => ({
      ...watch,
      observe(attempt) {
        if (typeof attempt.outcome === 'number') note(attempt.siteId, { lastAnswerAt: clock() })
        watch.observe(attempt)
      },
      onBreaker(change) {
        note(change.siteId, { breaker: change.state })
        watch.onBreaker(change)
      },
    }),
  }
}
