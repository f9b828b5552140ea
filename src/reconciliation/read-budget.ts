import type { Urgency } from '../domain/reads/read-pace.ts'
import type { ReadClass } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { notSent, UpstreamFault } from '../upstream/client/upstream-fault.ts'
import type { SharedPace } from './shared-pace.ts'
import { createSiteBudget, type SiteBudget } from './site-budget.ts'
import { createSitePace, type SiteTrouble } from './site-pace.ts'

/** Permission for one call to the payments API. Call exactly one of the two methods, once. */
export type ReadPermit = {
  /** Reports how the read ended (`error` is null if it was answered), and returns what that means for the whole site. */
  end(error: unknown): SiteTrouble | null
  /** Returns the permit because the read was not sent. */
  cancel(): void
}

/** Rate limits for reads, per site. */
export type ReadBudget = {
  /**
   * Waits for a permit for a site, in the order of `createReadOrder`. For urgency `person`, rejects with an `UpstreamFault` while
   * the payments API asks for a pause, or when too many callers wait. For a planned read, returns null while planned reads of the
   * site are on hold.
   */
  acquire(site: string, urgency: 'person'): Promise<ReadPermit>
  acquire(site: string, urgency: ReadClass): Promise<ReadPermit | null>
  /** Milliseconds until planned reads of a site are allowed; 0 if they are allowed now. */
  heldMs(site: string): number
  /** Rejects all waiting and future requests for a permit. */
  close(): void
}

export type ReadBudgetOptions = {
  readonly timer: Timer
  readonly logger: Logger
  /** Reads per second of one site. */
  readonly perSecond?: number
  /** Returns the pace that all processes share for a site; null if this process is the only one. Default: null. */
  readonly sharedPace?: (site: string, perSecond: number) => SharedPace | null
}

const PER_SECOND = 2

/** Each site has its own rate, so that no site delays another. */
export function createReadBudget(options: ReadBudgetOptions): ReadBudget {
  const { timer, logger, perSecond = PER_SECOND, sharedPace = () => null } = options
  const budgets = new Map<string, SiteBudget>()
  let closed = false

  const partsOf = (site: string) => ({
    pace: createSitePace(timer.now, perSecond),
    shared: sharedPace(site, perSecond),
    timer,
    report: siteLogger(logger, site),
  })

  const budgetOf = (site: string): SiteBudget => {
    const siteBudget = budgets.get(site) ?? createSiteBudget(partsOf(site))
    budgets.set(site, siteBudget)
    return siteBudget
  }

  function acquire(site: string, urgency: 'person'): Promise<ReadPermit>
  function acquire(site: string, urgency: ReadClass): Promise<ReadPermit | null>
  async function acquire(site: string, urgency: Urgency): Promise<ReadPermit | null> {
    const granted = closed ? notSent('closed') : await budgetOf(site).enter(urgency)
    if (!(granted instanceof UpstreamFault)) return granted
    if (urgency === 'person') throw granted
    return null
  }

  return {
    acquire,
    heldMs: (site) => budgets.get(site)?.pace.heldMs() ?? 0,
    close() {
      closed = true
      for (const siteBudget of budgets.values()) siteBudget.close()
    },
  }
}

/** Logs a trouble once, when it begins: each further failed read would repeat the same message. */
function siteLogger(logger: Logger, site: string): (trouble: SiteTrouble | null, heldMs: number) => void {
  let loggedKind: SiteTrouble['kind'] | null = null
  return (trouble, heldMs) => {
    const kind = trouble?.kind ?? null
    const isNew = kind !== loggedKind
    loggedKind = kind
    if (kind === null || !isNew) return
    const fields = { site, reason: kind, retryInMs: Math.ceil(heldMs) }
    if (kind === 'credentials')
      logger.error(
        fields,
        'the payments API does not accept the credentials of a site: none of its payments is read for now',
      )
    else logger.warn(fields, 'a site is read more slowly, or not at all for now')
  }
}
