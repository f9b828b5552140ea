import type { Logger } from '../../observability/logger.ts'
import type { ClientOptions } from './upstream-client.ts'
import type { UpstreamMetrics } from './upstream-metrics.ts'

export type UpstreamWatch = Required<Pick<ClientOptions, 'observe' | 'onBreaker' | 'onMismatch'>> & {
  /** Called when the payments API starts to refuse the credentials of a site, and when it accepts them again. */
  readonly onCredentials: (change: { readonly siteId: string; readonly rejected: boolean }) => void
}

/** Turns the events of the upstream client into metrics and log lines; log lines contain ids only. */
export function watchUpstream(metrics: UpstreamMetrics, logger: Logger): UpstreamWatch {
  return {
    observe: metrics.attempted,
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
        'ALERT: the payments API answered about something else than it was asked for',
      )
    },
  }
}
