import { createReadOrder, type Urgency } from '../../src/domain/reads/read-priority.ts'
import { nextPoll, type ReadClass, REFUND_WINDOW_MS } from '../../src/domain/reads/read-schedule.ts'
import { createSitePace } from '../../src/reconciliation/site-pace.ts'

/** The reads of one site at the end of a day. */
export type DayFigures = {
  /** From 1. */
  readonly day: number
  /** Subjects that are due. */
  readonly due: Readonly<Record<ReadClass, number>>
  /** How long the poll that is due for longest has been so. */
  readonly oldestPollMs: number
  /** The longest that a doubt which was settled on this day had waited. */
  readonly longestDoubtMs: number
  /** Calls of the payments API. */
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

/** For each paid payment: links that nobody pays, payments that fail, and webhooks whose status is confirmed by a read. */
const ABANDONED = 0.25
const FAILED = 0.08
const DOUBTS = FAILED + 0.05
/**
 * Entries of a page that it confirms. The real lists confirm 17 neighbours that are due together; of those a quarter are
 * links that nobody paid, and few have failed.
 */
const PER_PAGE = { 3: 2, 4: 13 }
/** Of links that expire: their neighbours on the page were paid. */
const EXPIRED_PER_PAGE = 4
/** They fall due together, at half minutes. */
const EXPIRY_SLOT_MS = 30 * SECOND_MS
/** Fewer that are due together are read one by one. */
const LEAST_LISTED = 3
/** What changed in the same minutes is one cohort: it falls due, and is read, together. */
const COHORT_MS = 10 * MINUTE_MS

/** Every so many days nobody is here for two hours; then what changed since 45 minutes before is read back. */
const GAP_EVERY_DAYS = 30
const GAP_MS = 120 * MINUTE_MS
const SWEPT_MS = GAP_MS + 45 * MINUTE_MS

/** Payments of one rank that changed last in the same minutes. `count` are still to be read in this round. */
type Cohort = {
  readonly rank: 3 | 4
  readonly updatedAt: string
  readonly size: number
  readonly dueAt: number
  /** Share of them that turns out to have changed: read by themselves, as doubts. */
  readonly differing: number
  left: number
}

const START_MS = Date.parse('2030-01-01T00:00:00Z')

/**
 * Lets payments come in at a steady rate, and has them read by the schedule, the order of classes and the pace of
 * production, in steps of a second. Gives the figures of each day.
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

  /** Rounded up or down so that the mean is right. */
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

/** Numbers from 0 to 1, the same for the same seed (https://en.wikipedia.org/wiki/Xorshift). */
function randomOf(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
