import { createReadOrder, MOST_AHEAD_MS, URGENCIES, type Urgency } from '../domain/reads/read-pace.ts'
import type { Store } from '../ledger/store.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import { notSent, UpstreamFault } from '../upstream/upstream-fault.ts'
import { createSiteHold, type SiteTrouble, siteTroubleOf, wasAnswered } from './site-trouble.ts'
import type { HeldLease } from './upkeep.ts'

/** Permission for one call to the payments API. Call exactly one of the two methods, once. */
export type ReadPermit = {
  /** Reports how the read ended (`error` is null if it was answered), and returns what that means for the whole site. */
  end(error: unknown): SiteTrouble | null
  /** Ends the permit because the read was not sent. */
  cancel(): void
}

/** Rate limits for reads, per site. */
export type ReadBudget = {
  /**
   * Waits for a permit for a site, in the order of `createReadOrder`. For urgency `person`, rejects with an `UpstreamFault` when too many
   * callers wait; a pause that the payments API asked for does not stop it. For any other, returns null while planned reads of the site are
   * on hold, and in a process that is not the leader.
   */
  acquire(site: string, urgency: 'person'): Promise<ReadPermit>
  acquire(site: string, urgency: PlannedUrgency): Promise<ReadPermit | null>
  /** Milliseconds until planned reads of a site are allowed; 0 if they are allowed now. */
  heldMs(site: string): number
  /** Rejects all waiting and future requests for a permit. */
  close(): void
}

type PlannedUrgency = Exclude<Urgency, 'person'>

export type ReadBudgetOptions = {
  /** The pace of each site is in the database: all processes on it share it. */
  readonly store: Pick<Store, 'now' | 'paces'>
  /** The process with this lease makes the planned reads. */
  readonly leader: HeldLease
  readonly timer: Timer
  readonly logger: Logger
  /** Reads per second of one site. Default: 2. */
  readonly perSecond?: number
}

const PER_SECOND = 2

/** Each site has its own rate, so that no site delays another. */
export function createReadBudget({ perSecond = PER_SECOND, ...options }: ReadBudgetOptions): ReadBudget {
  const budgets = new Map<string, SiteBudget>()
  let closed = false

  const budgetOf = (site: string): SiteBudget => {
    const siteBudget = budgets.get(site) ?? createSiteBudget({ ...options, perSecond, site })
    budgets.set(site, siteBudget)
    return siteBudget
  }

  function acquire(site: string, urgency: 'person'): Promise<ReadPermit>
  function acquire(site: string, urgency: PlannedUrgency): Promise<ReadPermit | null>
  async function acquire(site: string, urgency: Urgency): Promise<ReadPermit | null> {
    const granted = closed ? notSent('closed') : await budgetOf(site).enter(urgency)
    if (!(granted instanceof UpstreamFault)) return granted
    if (urgency === 'person') throw granted
    return null
  }

  return {
    acquire,
    heldMs: (site) => budgets.get(site)?.heldMs() ?? 0,
    close() {
      closed = true
      for (const siteBudget of budgets.values()) siteBudget.close()
    },
  }
}

/** A permit, or the reason why there is none. */
type Granted = ReadPermit | UpstreamFault

/** The budget of one site: who may read it next, and when. */
type SiteBudget = {
  /** Waits for a permit. */
  enter(urgency: Urgency): Promise<Granted>
  heldMs(): number
  close(): void
}

/** Maximum number of unanswered planned reads of a site, and of comparisons, so that they do not pile up on a slow API. */
const UNDER_WAY = 2
/** Further callers are rejected at once: at full rate, ten callers of one process mean a wait of at most five seconds. */
const PERSONS_WAITING = 10
/** A caller is rejected after so many milliseconds, before the operation times out: callers of other processes, or a lower rate. */
const PERSON_WAIT_MS = 7_000

const PLANNED = URGENCIES.filter((urgency) => urgency !== 'person')

type Waiter = (granted: Granted) => void

type SiteBudgetOptions = ReadBudgetOptions & { readonly site: string; readonly perSecond: number }

function createSiteBudget({ site, perSecond, store, leader, timer, logger }: SiteBudgetOptions): SiteBudget {
  const waiting: Record<Urgency, Waiter[]> = { person: [], planned: [], comparison: [] }
  const order = createReadOrder()
  const hold = createSiteHold(timer.now)
  const report = troubleLogger(logger, site)
  const underWay: Record<Urgency, number> = { person: 0, planned: 0, comparison: 0 }
  /** End of the pause that the payments API asked for, by the timer. */
  let closedUntil = Number.NEGATIVE_INFINITY
  /** Slot of the last read that was throttled. */
  let throttledAt = Number.NEGATIVE_INFINITY
  let answers = 0
  let answeredAt = 0
  let isServing = false

  const heldMs = () => Math.max(closedUntil - timer.now(), hold.leftMs(), 0)

  /** Whether a read of this urgency waits for the rate alone. */
  const waits = (urgency: Urgency): boolean =>
    waiting[urgency].length > 0 && (urgency === 'person' || underWay[urgency] < UNDER_WAY)

  const turnAway = (urgencies: readonly Urgency[], fault: UpstreamFault) => {
    for (const urgency of urgencies) for (const waiter of waiting[urgency].splice(0)) waiter(fault)
  }

  /** Takes a slot, and waits for it. Returns its instant by the database's clock; null if there is none now. */
  const takeSlot = async (urgency: Urgency): Promise<number | null> => {
    const lease = urgency === 'person' ? null : leader.lease()
    if (lease === null && urgency !== 'person') return null
    try {
      const now = (await store.now()).getTime()
      const askedAt = timer.now()
      const told = answers
      const { at, closedUntil: until } = await store.paces.take(
        site,
        { now, perSecond, answers: told, answeredAt },
        lease,
      )
      answers -= told
      closedUntil = Math.max(closedUntil, askedAt + until - now)
      if (at !== null) await pause(at - now - (timer.now() - askedAt))
      return at
    } catch (error) {
      if (error instanceof LeaseLostError && lease !== null) leader.lost(lease)
      else logger.warn({ site, err: error }, 'no slot for a read could be taken from the database')
      return null
    }
  }

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      if (milliseconds > 0) timer.after(milliseconds, resolve)
      else resolve()
    })

  /** Takes slots as long as a read waits, one at a time, and gives each to the read that is most urgent by then. */
  const serve = async () => {
    if (isServing) return
    isServing = true
    for (let next = order.next(waits); next !== null; next = order.next(waits)) {
      const at = heldMs() > 0 && next !== 'person' ? null : await takeSlot(next)
      if (at === null) turnAway(next === 'person' ? URGENCIES : PLANNED, notSent('no-slot'))
      else if (heldMs() > 0) turnAway(PLANNED, notSent('no-slot'))
      const first = at === null ? null : order.next(waits)
      if (at !== null && first !== null) grant(first, at)
    }
    isServing = false
  }

  const grant = (urgency: Urgency, at: number) => {
    order.granted(urgency, waits)
    const waiter = waiting[urgency].shift()
    underWay[urgency] += 1
    const leave = () => {
      underWay[urgency] -= 1
      void serve()
    }
    waiter?.({
      end(error) {
        const trouble = siteTroubleOf(error)
        if (trouble?.kind === 'throttled') throttle(at, trouble.retryAfterMs)
        else if (trouble !== null) hold.failed(trouble.kind)
        else if (wasAnswered(error)) noteAnswer(at)
        report(trouble, heldMs())
        leave()
        return trouble
      },
      cancel: leave,
    })
  }

  const noteAnswer = (at: number) => {
    hold.answered()
    answers += 1
    answeredAt = Math.max(answeredAt, at)
    // It was sent after the last refusal, so the pause is over.
    if (at > throttledAt) closedUntil = Number.NEGATIVE_INFINITY
  }

  const throttle = (at: number, retryAfterMs: number | null) => {
    throttledAt = Math.max(throttledAt, at)
    closedUntil = Math.max(closedUntil, timer.now() + Math.min(retryAfterMs ?? 0, MOST_AHEAD_MS))
    const tell = async () =>
      store.paces.throttle(site, { sentAt: at, now: (await store.now()).getTime(), retryAfterMs })
    tell().catch((error: unknown) => logger.debug({ site, err: error }, 'the read rate of a site could not be lowered'))
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

  return {
    heldMs,
    enter: (urgency) =>
      new Promise((resolve) => {
        if (urgency === 'person') queuePerson(resolve)
        else waiting[urgency].push(resolve)
        void serve()
      }),
    close: () => turnAway(URGENCIES, notSent('closed')),
  }
}

/** Logs a trouble once, when it begins: each further failed read would repeat the same message. */
function troubleLogger(logger: Logger, site: string): (trouble: SiteTrouble | null, heldMs: number) => void {
  let loggedKind: SiteTrouble['kind'] | null = null
  return (trouble, heldMs) => {
    const kind = trouble?.kind ?? null
    const isNew = kind !== loggedKind
    loggedKind = kind
    if (kind === null || !isNew) return
    const fields = { site, reason: kind, retryInMs: Math.ceil(heldMs) }
    if (kind === 'credentials')
      logger.error(fields, 'the payments API rejects the credentials of a site: its planned reads are paused')
    else logger.warn(fields, 'a site is read more slowly, or not at all for now')
  }
}
