import { createReadOrder, type Urgency } from '../../src/domain/reads/read-pace.ts'
import { nextPoll, type ReadClass, REFUND_WINDOW_MS } from '../../src/domain/reads/read-schedule.ts'
import { createSitePace } from '../../src/reconciliation/site-pace.ts'

/** The reads of one site at the end of a day. */
export type DayFigures = {
  /** Number of the day, from 1. */
  readonly day: number
  /** Number of due subjects by class. */
  readonly due: Readonly<Record<ReadClass, number>>
  /** Time since the oldest due poll became due. */
  readonly oldestPollMs: number
  /** Longest time from a doubt to its read, for the doubts that were settled on this day. */
  readonly longestDoubtMs: number
  /** Calls of the payments API on this day. */
  readonly reads: number
}

export type SimulationOptions = {
  readonly paymentsPerMonth: number
  readonly days: number
  readonly seed: number
  readonly refundWindowMs?: number
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 86_400_000
const PER_SECOND = 2

/** Per paid payment: links that are never paid, payments that fail, and webhooks whose status a read confirms. */
const ABANDONED = 0.25
const FAILED = 0.08
const DOUBTS = FAILED + 0.05
/**
 * Payments that one page of a list confirms, by rank. The lists of production confirm 17 neighbours that are due together; a quarter of
 * these are links that are never paid, and a few are failed payments.
 */
const PER_PAGE = { 3: 2, 4: 13 }
/** Expired links that one page confirms. Their other neighbours on the page were paid. */
const EXPIRED_PER_PAGE = 4
/** Links become due together after their expiry, at half minutes. */
const EXPIRY_SLOT_MS = 30 * SECOND_MS
/** Fewer subjects that are due together are read one by one. */
const LEAST_LISTED = 3
/** Payments that change within the same minutes form a cohort: they become due, and are read, together. */
const COHORT_MS = 10 * MINUTE_MS

/** Days between two gaps. In a gap, no process runs for two hours; then all changes since 45 minutes before the gap are read again. */
const GAP_EVERY_DAYS = 30
const GAP_MS = 120 * MINUTE_MS
const SWEPT_MS = GAP_MS + 45 * MINUTE_MS

/** Payments of one rank with their last change in the same minutes. `left` of them are not yet read in this round. */
type Cohort = {
  readonly rank: 3 | 4
  readonly updatedAt: string
  readonly size: number
  readonly dueAt: number
  /** Share of these payments that has changed. Each of them becomes a doubt and is read separately. */
  readonly differing: number
  left: number
}

const START_MS = Date.parse('2030-01-01T00:00:00Z')

/**
 * Simulates payments at a steady rate and their reads, with the schedule, the order of classes and the pace of production, in steps of a
 * second. Returns the figures of each day.
 */
export function simulateReads(options: SimulationOptions): DayFigures[] {
  const { paymentsPerMonth, days, seed, refundWindowMs = REFUND_WINDOW_MS } = options
  const perSecond = paymentsPerMonth / (30 * 86_400)
  const random = randomOf(seed)
  let now = START_MS
  const order = createReadOrder()
  const pace = createSitePace(() => now, PER_SECOND)
  const doubts: number[] = []
  let firstDoubt = 0
  let expired = 0
  const planned = new Map<number, Cohort[]>()
  const polls: Cohort[] = []
  let firstPoll = 0
  let pollsDue = 0
  let longestDoubtMs = 0
  let reads = 0
  const figures: DayFigures[] = []

  const waits = (urgency: Urgency): boolean => {
    if (urgency === 'doubt') return firstDoubt < doubts.length
    if (urgency === 'expiry') return expired >= 1
    return urgency === 'poll' && firstPoll < polls.length
  }

  const plan = (cohort: Omit<Cohort, 'dueAt' | 'left' | 'differing'>, lateMs = 0) => {
    const next = nextPoll(cohort, now, { linkExpiresAt: null, windowMs: refundWindowMs, lateMs })
    if (next === null) return
    const minute = Math.ceil(next.at / MINUTE_MS)
    const entry = { ...cohort, dueAt: next.at, differing: 0, left: cohort.size }
    planned.set(minute, [...(planned.get(minute) ?? []), entry])
  }

  const makeDue = (cohort: Cohort) => {
    polls.push(cohort)
    pollsDue += cohort.left
  }

  const settleDoubt = () => {
    longestDoubtMs = Math.max(longestDoubtMs, now - (doubts[firstDoubt] ?? now))
    firstDoubt += 1
    if (firstDoubt < 10_000) return
    doubts.splice(0, firstDoubt)
    firstDoubt = 0
  }

  const readPolls = () => {
    const cohort = polls[firstPoll]
    if (cohort === undefined) return
    const confirmed = Math.min(cohort.left, cohort.size >= LEAST_LISTED ? PER_PAGE[cohort.rank] : 1)
    cohort.left -= confirmed
    pollsDue -= confirmed
    for (let n = 0; n < confirmed; n++) if (random() < cohort.differing) doubts.push(now)
    if (cohort.left > 0) return
    plan(cohort, now - cohort.dueAt)
    firstPoll += 1
    if (firstPoll < 10_000) return
    polls.splice(0, firstPoll)
    firstPoll = 0
  }

  const read = (urgency: Urgency) => {
    reads += 1
    if (urgency === 'doubt') settleDoubt()
    else if (urgency === 'expiry')
      expired -= Math.min(Math.floor(expired), expired >= LEAST_LISTED ? EXPIRED_PER_PAGE : 1)
    else readPolls()
  }

  const arrive = (isHere: boolean) => {
    if (isHere && random() < perSecond * DOUBTS) doubts.push(now)
    if (now % EXPIRY_SLOT_MS === 0) expired += (perSecond * ABANDONED * EXPIRY_SLOT_MS) / SECOND_MS
    if ((now - START_MS) % COHORT_MS !== 0) return
    const updatedAt = new Date(now).toISOString()
    const inCohort = (perSecond * COHORT_MS) / SECOND_MS
    plan({ rank: 4, updatedAt, size: wholeOf(inCohort) })
    plan({ rank: 3, updatedAt, size: wholeOf(inCohort * FAILED) })
  }

  /** Rounds up or down at random, so that the mean is exact. */
  const wholeOf = (size: number) => Math.floor(size) + (random() < size % 1 ? 1 : 0)

  const sweep = () => {
    const size = Math.ceil((perSecond * SWEPT_MS) / SECOND_MS)
    const updatedAt = new Date(now).toISOString()
    makeDue({ rank: 4, updatedAt, size, dueAt: now, differing: DOUBTS, left: size })
  }

  for (let day = 1; day <= days; day++) {
    const isGap = day % GAP_EVERY_DAYS === 0
    const gapEnds = isGap ? now + GAP_MS : now
    longestDoubtMs = 0
    reads = 0
    for (const end = now + DAY_MS; now < end; now += SECOND_MS) {
      const isHere = now >= gapEnds
      arrive(isHere)
      if (now % MINUTE_MS === 0) {
        for (const cohort of planned.get(now / MINUTE_MS) ?? []) makeDue(cohort)
        planned.delete(now / MINUTE_MS)
      }
      if (!isHere) continue
      if (isGap && now === gapEnds) sweep()
      while (pace.waitMs() <= 0) {
        const urgency = order.next(waits)
        if (urgency === null) break
        order.granted(urgency, waits)
        pace.send()
        read(urgency)
      }
    }
    const oldest = polls[firstPoll]
    figures.push({
      day,
      due: { doubt: doubts.length - firstDoubt, expiry: Math.floor(expired), poll: pollsDue },
      oldestPollMs: oldest === undefined ? 0 : now - oldest.dueAt,
      longestDoubtMs,
      reads,
    })
  }
  return figures
}

/** Creates a generator of numbers from 0 to 1, which are the same for the same seed (https://en.wikipedia.org/wiki/Xorshift). */
function randomOf(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
