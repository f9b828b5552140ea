import { nextComparedDay } from '../../src/domain/imports/compared-days.ts'
import { createReadOrder, FULL_PACE, takeSlot, type Urgency } from '../../src/domain/reads/read-pace.ts'
import { nextPoll, readAfterExpiry } from '../../src/domain/reads/read-schedule.ts'

/** The reads of one site at the end of a day. */
export type DayFigures = {
  /** Number of the day, from 1. */
  readonly day: number
  readonly doubtsDue: number
  readonly pollsDue: number
  readonly linksDue: number
  /** Days whose comparison is due or under way. */
  readonly daysDue: number
  /** Calls of the payments API on this day. */
  readonly reads: number
}

/** Longest times in milliseconds, over the whole simulation. */
export type ReadFigures = {
  readonly days: readonly DayFigures[]
  /** From a doubt to its read. */
  readonly doubtMs: number
  /** From the last webhook of a payment under way, of which all later ones are lost, to the read that finds out. */
  readonly underWayMs: number
  /** The same, while the reads after a gap were made up for. */
  readonly underWayAfterGapMs: number
  /** From the end of a gap to the end of its comparison. */
  readonly gapMs: number
  /** From a refund whose webhooks are lost to the end of the comparison that finds it. */
  readonly refundMs: number
  /** Refunds that the next comparison did not find, or none until the last one of their day. */
  readonly refundsMissed: number
  /** Mean number of comparisons of a day, of those that are older than 190 days. */
  readonly comparisons: number
}

export type SimulationOptions = {
  readonly paymentsPerMonth: number
  readonly days: number
  readonly seed: number
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PER_SECOND = 2
const PAGE = 20

/** Per paid payment: links that are never paid, and webhooks whose status a read confirms. */
const ABANDONED = 0.25
const DOUBTS = 0.13
/** Payments that wait for money for up to two days. */
const SLOW = 0.02
const SLOWEST_MS = 2 * DAY_MS
/** Payments of which all webhooks but the first are lost, and refunds of which all are. */
const LOST = 0.000_5
/** Refunds come within so many days. */
const REFUND_DAYS = 120
/** How long a link is open. */
const LINK_MS = HOUR_MS
/** Entries of the comparison of a gap that differ from the record, and are read. */
const DIFFERING = 0.01

/** Days between two gaps. In a gap, no process runs for two hours; what was made since 45 minutes before is compared. */
const GAP_EVERY_DAYS = 30
const GAP_MS = 2 * HOUR_MS
const BEFORE_GAP_MS = 45 * MINUTE_MS
/** So long after a gap its reads may still be made up for. */
const AFTER_GAP_MS = DAY_MS

/** A payment under way. `endsAt`: when the webhook of its end arrives; null if that is lost. */
type UnderWay = { readonly rank: number; readonly changedAt: number; readonly endsAt: number | null }

/** Links of one minute whose end is to be read. */
type Expired = { readonly madeAt: number; count: number }

/** A comparison; `day` is null for that of a gap. */
type Comparison = {
  readonly day: number | null
  readonly from: number
  readonly to: number
  pages: number
  readonly begunAt: number
}

const START_MS = Date.parse('2030-01-01T00:00:00Z')

/**
 * Simulates payments at a steady rate and their reads, with the schedule, the order, the pace and the choice of days of production, in steps
 * of a second. As in the store's queue, the longest due doubt is read first, and the latest due poll and link. Each read takes no time.
 */
export function simulateReads({ paymentsPerMonth, days, seed }: SimulationOptions): ReadFigures {
  const perSecond = paymentsPerMonth / (30 * 86_400)
  const random = randomOf(seed)
  const order = createReadOrder()
  let pace = FULL_PACE
  let now = START_MS

  const doubts: number[] = []
  let firstDoubt = 0
  const planned = new Map<number, UnderWay[]>()
  const polls: UnderWay[] = []
  const expired: Expired[] = []
  let linksDue = 0
  let openLinks = 0
  const running: Comparison[] = []
  const comparedAt = new Map<number, number>()
  const comparisons = new Map<number, number>()
  const refunds = new Map<number, number[]>()
  let gapEndedAt = Number.NEGATIVE_INFINITY
  let reads = 0
  const longest = { doubtMs: 0, underWayMs: 0, underWayAfterGapMs: 0, gapMs: 0, refundMs: 0 }
  const figures: DayFigures[] = []

  /** Rounds up or down at random, so that the mean is exact. */
  const wholeOf = (size: number) => Math.floor(size) + (random() < size % 1 ? 1 : 0)
  const isAfterGap = () => now - gapEndedAt < AFTER_GAP_MS

  const plan = (payment: UnderWay) => {
    const { rank, changedAt } = payment
    const next = nextPoll({ rank, updatedAt: new Date(changedAt).toISOString() }, now, null)
    if (next === null) return
    const second = Math.ceil(next.at / SECOND_MS)
    const same = planned.get(second)
    if (same === undefined) planned.set(second, [payment])
    else same.push(payment)
  }

  const isOver = ({ endsAt }: UnderWay) => endsAt !== null && endsAt <= now

  const readPoll = () => {
    const payment = polls.pop()
    if (payment === undefined) return
    if (payment.endsAt !== null) return plan(payment)
    const waited = now - payment.changedAt
    if (isAfterGap()) longest.underWayAfterGapMs = Math.max(longest.underWayAfterGapMs, waited)
    else longest.underWayMs = Math.max(longest.underWayMs, waited)
  }

  const readLink = () => {
    while (expired.at(-1)?.count === 0) expired.pop()
    const last = expired.at(-1)
    if (last === undefined) return
    last.count -= 1
    linksDue -= 1
  }

  const readDoubt = () => {
    longest.doubtMs = Math.max(longest.doubtMs, now - (doubts[firstDoubt] ?? now))
    firstDoubt += 1
    if (firstDoubt < 10_000) return
    doubts.splice(0, firstDoubt)
    firstDoubt = 0
  }

  const begin = (day: number | null, from: number, to: number) => {
    const entries = ((to - from) / SECOND_MS) * perSecond * (1 + ABANDONED)
    running.push({ day, from, to, pages: Math.ceil(entries / PAGE) + 1, begunAt: now })
  }

  /** Ends a comparison: what it has listed need not be read any more. */
  const end = ({ day, from, to, begunAt }: Comparison) => {
    for (const links of expired)
      if (links.madeAt >= from && links.madeAt < to) {
        linksDue -= links.count
        links.count = 0
      }
    if (day === null) {
      longest.gapMs = Math.max(longest.gapMs, now - gapEndedAt)
      const differing = wholeOf(((to - from) / SECOND_MS) * perSecond * DIFFERING)
      for (let n = 0; n < differing; n++) polls.push({ rank: 0, changedAt: now, endsAt: now + DAY_MS })
      return
    }
    comparisons.set(day, (comparisons.get(day) ?? 0) + 1)
    const left = refunds.get(day) ?? []
    for (const at of left) if (at <= begunAt) longest.refundMs = Math.max(longest.refundMs, now - at)
    refunds.set(
      day,
      left.filter((at) => at > begunAt),
    )
  }

  const readPage = () => {
    const current = running.find(({ day }) => day === null) ?? running[0]
    if (current === undefined) return
    current.pages -= 1
    if (current.pages > 0) return
    running.splice(running.indexOf(current), 1)
    end(current)
  }

  const waits = (urgency: Urgency): boolean => {
    if (urgency === 'comparison') return running.length > 0
    return urgency === 'planned' && (firstDoubt < doubts.length || polls.length > 0 || linksDue > 0)
  }

  const readNext = (urgency: Urgency) => {
    reads += 1
    if (urgency === 'comparison') readPage()
    else if (firstDoubt < doubts.length) readDoubt()
    else if (polls.length > 0) readPoll()
    else readLink()
  }

  const arrive = (isHere: boolean) => {
    const day = Math.floor(now / DAY_MS) * DAY_MS
    if (isHere) {
      for (let n = wholeOf(perSecond * DOUBTS); n > 0; n--) doubts.push(now)
      for (let n = wholeOf(perSecond * LOST); n > 0; n--) plan({ rank: 0, changedAt: now, endsAt: null })
      for (let n = wholeOf(perSecond * SLOW); n > 0; n--)
        plan({ rank: 2, changedAt: now, endsAt: now + random() * SLOWEST_MS })
    }
    for (let n = wholeOf(perSecond * LOST); n > 0; n--) {
      const at = now + random() * REFUND_DAYS * DAY_MS
      const same = refunds.get(day)
      if (same === undefined) refunds.set(day, [at])
      else same.push(at)
    }
    // Of the links that were paid in a gap it is not known that they were.
    openLinks += perSecond * (isHere ? ABANDONED : 1 + ABANDONED)
    if ((now - START_MS) % MINUTE_MS !== 0 || openLinks < 1) return
    pending.push({ dueAt: readAfterExpiry(now + LINK_MS), links: { madeAt: now, count: Math.floor(openLinks) } })
    openLinks %= 1
  }
  const pending: { readonly dueAt: number; readonly links: Expired }[] = []

  const makeDue = () => {
    const second = now / SECOND_MS
    for (const payment of planned.get(second) ?? []) if (!isOver(payment)) polls.push(payment)
    planned.delete(second)
    for (let first = pending[0]; first !== undefined && first.dueAt <= now; first = pending[0]) {
      pending.shift()
      expired.push(first.links)
      linksDue += first.links.count
    }
  }

  /** What is under way is read, and what was made in the gap is compared. */
  const comeBack = () => {
    gapEndedAt = now
    for (const [second, payments] of planned) {
      planned.delete(second)
      for (const payment of payments) if (!isOver(payment)) polls.push(payment)
    }
    begin(null, now - GAP_MS - BEFORE_GAP_MS, now)
  }

  const compareDays = () => {
    if (running.length > 0) return
    const day = nextComparedDay(now, { since: START_MS, comparedAt })
    if (day === null) return
    comparedAt.set(day, now)
    begin(day, day, day + DAY_MS)
  }

  for (let day = 1; day <= days; day++) {
    const isGap = day % GAP_EVERY_DAYS === 0
    const gapEnds = isGap ? now + GAP_MS : now
    reads = 0
    for (const until = now + DAY_MS; now < until; now += SECOND_MS) {
      const isHere = now >= gapEnds
      arrive(isHere)
      if (!isHere) continue
      if (isGap && now === gapEnds) comeBack()
      makeDue()
      if (running.length === 0 && now % MINUTE_MS === 0) compareDays()
      for (let next = order.next(waits); next !== null; next = order.next(waits)) {
        const taken = takeSlot(pace, { now, perSecond: PER_SECOND, answers: 1, answeredAt: now, isPersonal: false })
        if (taken.slot.at === null || taken.slot.at >= now + SECOND_MS) break
        pace = taken.pace
        order.granted(next, waits)
        readNext(next)
      }
    }
    const since = { since: START_MS, comparedAt: new Map(comparedAt) }
    let daysDue = running.length
    for (let due = nextComparedDay(now, since); due !== null; due = nextComparedDay(now, since), daysDue++)
      since.comparedAt.set(due, now)
    figures.push({ day, doubtsDue: doubts.length - firstDoubt, pollsDue: polls.length, linksDue, daysDue, reads })
  }

  const old = [...comparisons].filter(([day]) => day < now - 190 * DAY_MS)
  const missed = [...refunds].filter(([day]) => day < now - 190 * DAY_MS).flatMap(([, left]) => left)
  return {
    days: figures,
    ...longest,
    refundsMissed: missed.length,
    comparisons: old.reduce((sum, [, count]) => sum + count, 0) / Math.max(old.length, 1),
  }
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
