import { createReadOrder, URGENCIES, type Urgency } from '../domain/reads/read-priority.ts'
import type { ReadClass } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import { notSent, UpstreamFault } from '../upstream/client/upstream-fault.ts'
import { createSitePace, type SitePace } from './site-pace.ts'
import type { SiteTrouble } from './site-trouble.ts'

/** Permission for one call to the payments API. Call exactly one of the two methods, once. */
export type ReadPermit = {
  /** Reports how the read ended (`error` is null if it was answered), and returns what that means for the whole site. */
  end(error: unknown): SiteTrouble | null
  /** Returns the permit because the read was not sent. */
  cancel(): void
}

/** Rate limits for the reads of this process, per site. */
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
}

const PER_SECOND = 2
/**
 * Maximum number of unanswered planned reads per site, so that they do not pile up on a slow API. Class `doubt` is counted
 * separately, so that it never waits for a routine read.
 */
const UNDER_WAY = 2
/** Further callers are rejected at once: at full rate, ten callers mean a wait of at most five seconds. */
const PERSONS_WAITING = 10

/** Each site has its own rate, so that no site delays another. */
export function createReadBudget({ timer, logger, perSecond = PER_SECOND }: ReadBudgetOptions): ReadBudget {
  const budgets = new Map<string, SiteBudget>()
  let closed = false

  const budgetOf = (site: string): SiteBudget => {
    const siteBudget =
      budgets.get(site) ?? createSiteBudget(createSitePace(timer.now, perSecond), timer, siteLogger(logger, site))
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

/** A permit, or the reason why there is none. */
type Granted = ReadPermit | UpstreamFault

/** Longest time to fetch the next due read of a class from the store; its permit is kept for that time. */
const FETCH_MS = 100

type Waiter = (granted: Granted) => void

/** Reads whose unanswered calls are counted together. */
type Group = 'person' | 'doubt' | 'routine'

function groupOf(urgency: Urgency): Group {
  return urgency === 'person' || urgency === 'doubt' ? urgency : 'routine'
}

const PLANNED = URGENCIES.filter((urgency) => urgency !== 'person')

type SiteBudget = {
  readonly pace: SitePace
  enter(urgency: Urgency): Promise<Granted>
  close(): void
}

function createSiteBudget(
  pace: SitePace,
  timer: Timer,
  report: (trouble: SiteTrouble | null, heldMs: number) => void,
): SiteBudget {
  const waiting: Record<Urgency, Waiter[]> = { person: [], doubt: [], expiry: [], poll: [] }
  const underWay: Record<Group, number> = { person: 0, doubt: 0, routine: 0 }
  const order = createReadOrder()
  let last: { readonly urgency: Urgency; readonly at: number } | null = null
  let cancelTimer: (() => void) | null = null

  /** Whether a read of this urgency waits for the rate alone. */
  const waits = (urgency: Urgency): boolean =>
    waiting[urgency].length > 0 && (urgency === 'person' || underWay[groupOf(urgency)] < UNDER_WAY)

  const turnAway = (urgency: Urgency, fault: UpstreamFault) => {
    for (const waiter of waiting[urgency].splice(0)) waiter(fault)
  }

  /** How long a less urgent class waits for the next read of the class that was just granted. */
  const untilBack = (next: Urgency): number =>
    last !== null && URGENCIES.indexOf(last.urgency) < URGENCIES.indexOf(next) && !order.isOverdue(next)
      ? last.at + FETCH_MS - timer.now()
      : 0

  const grant = (urgency: Urgency) => {
    const group = groupOf(urgency)
    order.granted(urgency, waits)
    last = { urgency, at: timer.now() }
    const waiter = waiting[urgency].shift()
    const sentAt = pace.send()
    underWay[group] += 1
    const leave = () => {
      underWay[group] -= 1
    }
    waiter?.({
      end(error) {
        leave()
        const trouble = pace.learn(error, sentAt)
        report(trouble, pace.heldMs())
        serve()
        return trouble
      },
      cancel() {
        leave()
        pace.takeBack()
        serve()
      },
    })
  }

  const serve = () => {
    cancelTimer?.()
    cancelTimer = null
    if (pace.closedMs() > 0) turnAway('person', throttled(pace.closedMs()))
    if (pace.heldMs() > 0) for (const urgency of PLANNED) turnAway(urgency, throttled(pace.heldMs()))
    for (let next = order.next(waits); next !== null; next = order.next(waits)) {
      const waitMs = Math.max(pace.waitMs(), untilBack(next))
      if (waitMs > 0) {
        cancelTimer = timer.after(waitMs, serve)
        return
      }
      grant(next)
    }
  }

  return {
    pace,
    enter: (urgency) =>
      new Promise((resolve) => {
        if (urgency === 'person' && waiting.person.length >= PERSONS_WAITING) return resolve(notSent('no-slot'))
        waiting[urgency].push(resolve)
        serve()
      }),
    close() {
      cancelTimer?.()
      for (const urgency of URGENCIES) turnAway(urgency, notSent('closed'))
    },
  }
}

function throttled(milliseconds: number): UpstreamFault {
  return new UpstreamFault({
    kind: 'throttled',
    httpStatus: 429,
    retryAfterSeconds: Math.ceil(milliseconds / 1000),
  })
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
