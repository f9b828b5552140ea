import { type Urgency, createReadOrder, URGENCIES } from '../domain/reads/read-pace.ts'
import type { ReadClass } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { notSent, UpstreamFault } from '../upstream/client/upstream-fault.ts'
import { type SharedPace, createSitePace, type SiteTrouble, type SitePace, wasAnswered } from './site-pace.ts'

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
   * Waits for a permit for a site, in the order of `createReadOrder`. For urgency `person`, rejects with an `UpstreamFault` when too many
   * callers wait; a pause that the payments API asked for does not stop it. For a planned read, returns null while planned reads of the
   * site are on hold.
   */
  acquire(site: string, urgency: 'person'): Promise<ReadPermit>
  acquire(site: string, urgency: ReadClass): Promise<ReadPermit | null>
  /** Milliseconds until planned reads of a site are allowed; 0 if they are allowed now. */
  heldMs(site: string): number
  /** Milliseconds for which the payments API still asks to be left alone; 0 if it does not. */
  closedMs(site: string): number
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
    closedMs: (site) => budgets.get(site)?.pace.closedMs() ?? 0,
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

/** A permit, or the reason why there is none. */
export type Granted = ReadPermit | UpstreamFault

/** The budget of one site: who may read it next, and when. */
type SiteBudget = {
  readonly pace: SitePace
  /** Waits for a permit. */
  enter(urgency: Urgency): Promise<Granted>
  close(): void
}

export type SiteBudgetParts = {
  readonly pace: SitePace
  /** Null if this process is the only one. */
  readonly shared: SharedPace | null
  readonly timer: Timer
  /** Called after each read. */
  readonly report: (trouble: SiteTrouble | null, heldMs: number) => void
}

/**
 * Maximum number of unanswered planned reads per site, so that they do not pile up on a slow API. Class `doubt` is counted
 * separately, so that it never waits for a routine read.
 */
const UNDER_WAY = 2
/** Further callers are rejected at once: at full rate, ten callers of one process mean a wait of at most five seconds. */
const PERSONS_WAITING = 10
/** A caller is rejected after so many milliseconds, before the operation times out: callers of other processes, or a lower rate. */
const PERSON_WAIT_MS = 7_000
/** Slots of the shared pace that are held for persons who wait: those of a second. */
const PERSONS_AHEAD = 2
/** Longest time to fetch the next due read of a class from the store; its permit is kept for that time. */
const FETCH_MS = 100

type Waiter = (granted: Granted) => void

/** Reads whose unanswered calls are counted together. */
type Group = 'person' | 'doubt' | 'routine'

function groupOf(urgency: Urgency): Group {
  return urgency === 'person' || urgency === 'doubt' ? urgency : 'routine'
}

const PLANNED = URGENCIES.filter((urgency) => urgency !== 'person')

function createSiteBudget({ pace, shared, timer, report }: SiteBudgetParts): SiteBudget {
  const waiting: Record<Urgency, Waiter[]> = { person: [], doubt: [], expiry: [], poll: [] }
  const underWay: Record<Group, number> = { person: 0, doubt: 0, routine: 0 }
  const order = createReadOrder()
  let last: { readonly urgency: Urgency; readonly at: number } | null = null
  let cancelTimer: (() => void) | null = null
  /** Slots of the shared pace that are being taken or waited for. */
  const taking = { person: 0, planned: 0 }
  /** Until then the shared pace has no slot for a planned read. */
  let plannedFrom = Number.NEGATIVE_INFINITY

  /** Whether a read of this urgency waits for the rate alone. */
  const waits = (urgency: Urgency): boolean =>
    waiting[urgency].length > 0 && (urgency === 'person' || underWay[groupOf(urgency)] < UNDER_WAY)

  const turnAway = (urgencies: readonly Urgency[], fault: UpstreamFault) => {
    for (const urgency of urgencies) for (const waiter of waiting[urgency].splice(0)) waiter(fault)
  }

  /** How long a less urgent class waits for the next read of the class that was just granted. */
  const untilBack = (next: Urgency): number =>
    last !== null && URGENCIES.indexOf(last.urgency) < URGENCIES.indexOf(next) && !order.isOverdue(next)
      ? last.at + FETCH_MS - timer.now()
      : 0

  /** A person's slot is taken before the rate allows the read, so that no planned read of another process takes it first. */
  const waitMs = (next: Urgency): number =>
    shared !== null && next === 'person' ? 0 : Math.max(pace.waitMs(), untilBack(next), plannedFrom - timer.now())

  /** Whether a slot may be taken: the process holds no more of them than it uses soon. */
  const mayTake = (next: Urgency): boolean =>
    next === 'person'
      ? taking.person < Math.min(PERSONS_AHEAD, waiting.person.length)
      : taking.person + taking.planned === 0

  /** Grants a permit to the first that waits; `slot` is the instant of its shared slot, null without one. */
  const grant = (urgency: Urgency, slot: number | null) => {
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
        if (trouble?.kind === 'throttled') shared?.throttled(slot, trouble.retryAfterMs)
        else if (wasAnswered(error)) shared?.answered(slot)
        report(trouble, pace.heldMs())
        serve()
        return trouble
      },
      cancel() {
        leave()
        pace.takeBack()
        if (slot !== null) shared?.release(slot)
        serve()
      },
    })
  }

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      if (milliseconds > 0) timer.after(milliseconds, resolve)
      else resolve()
    })

  /** Takes a slot of the shared pace for the most urgent read, and grants it then. */
  const grantShared = async (pool: SharedPace, next: Urgency) => {
    const group = next === 'person' ? 'person' : 'planned'
    taking[group] += 1
    const slot = await pool.take(next)
    if ('share' in slot) pace.adopt(slot)
    if (slot.kind === 'taken') await pause(slot.inMs)
    while (slot.kind === 'alone' && pace.waitMs() > 0) await pause(pace.waitMs())
    taking[group] -= 1
    if (slot.kind === 'taken') {
      // A person who has come meanwhile goes first; a slot that was taken for a person was taken without a lease.
      const urgency = waits('person') || next === 'person' ? 'person' : order.next(waits)
      if (urgency !== null && waits(urgency)) grant(urgency, slot.at)
      else pool.release(slot.at)
    } else if (slot.kind === 'later') plannedFrom = timer.now() + slot.inMs
    else if (slot.kind === 'not-leader') turnAway(PLANNED, notSent('closed'))
    else if (waits(next)) grant(next, null)
    serve()
  }

  const queuePerson = (resolve: Waiter) => {
    if (waiting.person.length >= PERSONS_WAITING) return resolve(notSent('no-slot'))
    const waiter: Waiter = (granted) => {
      cancel()
      resolve(granted)
    }
    const cancel = timer.after(PERSON_WAIT_MS, () => {
      waiting.person = waiting.person.filter((other) => other !== waiter)
      resolve(notSent('no-slot'))
    })
    waiting.person.push(waiter)
  }

  const serve = () => {
    cancelTimer?.()
    cancelTimer = null
    if (pace.heldMs() > 0) turnAway(PLANNED, notSent('no-slot'))
    for (let next = order.next(waits); next !== null; next = order.next(waits)) {
      if (shared !== null && !mayTake(next)) return
      const milliseconds = waitMs(next)
      if (milliseconds > 0) {
        cancelTimer = timer.after(milliseconds, serve)
        return
      }
      if (shared === null) grant(next, null)
      else void grantShared(shared, next)
    }
  }

  return {
    pace,
    enter: (urgency) =>
      new Promise((resolve) => {
        if (urgency === 'person') queuePerson(resolve)
        else waiting[urgency].push(resolve)
        serve()
      }),
    close() {
      cancelTimer?.()
      turnAway(URGENCIES, notSent('closed'))
    },
  }
}
