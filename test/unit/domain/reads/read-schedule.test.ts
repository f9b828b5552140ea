import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  nextAgreementPoll,
  nextPayoutPoll,
  nextPoll,
  type PlannedRead,
  readAfterExpiry,
  readAfterFailure,
  readAfterUntouched,
  readAgain,
} from '../../../../src/domain/reads/read-schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const EVENT = Date.parse('2030-01-02T03:04:05.678Z')

/** Returns the instants of all polls of something that does not change after an instant. */
function polls(next: (now: number) => PlannedRead | null, from: number): number[] {
  const planned = next(from)
  return planned === null ? [] : [planned.at, ...polls(next, planned.at)]
}

const at = (instant: number) => new Date(instant).toISOString()
const ofPayment = (rank: number, event = EVENT) =>
  polls((now) => nextPoll({ rank, updatedAt: at(event) }, now, null), event)
const events = fc.integer({ min: EVENT, max: EVENT + 365 * DAY })

describe('polls of payments', () => {
  it.each([
    ['pending', 0, 15 * MINUTE],
    ['authorised', 1, 15 * MINUTE],
    ['waiting', 2, HOUR],
  ])('that are %s begin after every retry of the last webhook, and double to a day', (_status, rank, firstWait) => {
    fc.assert(
      fc.property(events, (event) => {
        const times = ofPayment(rank, event)
        const waits = times.map((time, index) => time - (times[index - 1] ?? event))
        for (const [index, wait] of waits.entries()) {
          const planned = index === 0 ? 50 * MINUTE : Math.min(firstWait * 2 ** (index - 1), DAY)
          expect(Math.abs(wait - planned)).toBeLessThanOrEqual(planned / 10 + 1)
        }
        expect(times.at(-1)).toBeGreaterThan(event + 28 * DAY)
        expect(times.length).toBeLessThan(45)
      }),
    )
  })

  it.each([3, 4, 5, 6])('of rank %i, which are not under way, are none', (rank) => {
    expect(ofPayment(rank)).toEqual([])
  })

  it('of payments that changed in one second are spread', () => {
    const firsts = Array.from({ length: 100 }, (_, index) => ofPayment(0, EVENT + index)[0] ?? 0)
    expect(Math.max(...firsts) - Math.min(...firsts)).toBeGreaterThan(9 * MINUTE)
  })

  it('come a minute after the end of the link of an unpaid payment, and not again for it', () => {
    const end = EVENT + 10 * MINUTE
    const payment = { rank: 1, updatedAt: at(EVENT) }
    expect(readAfterExpiry(end)).toBe(end + MINUTE)
    expect(nextPoll(payment, EVENT, end)).toEqual({ at: readAfterExpiry(end), readClass: 'expiry' })
    expect(nextPoll(payment, readAfterExpiry(end), end)).toEqual({ at: ofPayment(1)[0], readClass: 'poll' })
    expect(nextPoll({ ...payment, rank: 4 }, EVENT, end)).toBeNull()
  })
})

describe('a link that nobody used', () => {
  it('is read soon after its end, then at waits that double to a day, for thirty days', () => {
    const next = (now: number) => readAfterUntouched(EVENT + HOUR, now)
    let reads = 0
    let now = EVENT
    for (let due = next(now); due !== null; due = next(now), reads++) {
      expect(due).toBeGreaterThan(now)
      expect(due - now).toBeLessThanOrEqual(DAY)
      now = due
    }
    expect(reads).toBeLessThan(45)
    expect(now).toBeGreaterThan(EVENT + 30 * DAY)
  })
})

describe('polls of agreements and payouts', () => {
  const updatedAt = at(EVENT)
  const payout = (status: 'created' | 'scheduled' | 'completed' | null, scheduledAt: string | null = null) =>
    nextPayoutPoll({ status, updatedAt, scheduledAt }, EVENT)

  it('are those of a payment while an agreement waits for its payer', () => {
    expect(nextAgreementPoll({ status: 'created', updatedAt }, EVENT)?.at).toBe(ofPayment(0)[0])
    for (const status of ['active', 'suspended', 'cancelled', 'failed', null] as const)
      expect(nextAgreementPoll({ status, updatedAt }, EVENT)).toBeNull()
  })

  it('are those of a payment until a payout is at its end, from its time on', () => {
    expect(payout('created')?.at).toBe(ofPayment(0)[0])
    expect(payout(null)?.at).toBe(ofPayment(0)[0])
    expect(payout('scheduled', at(EVENT + 90 * DAY))?.at).toBe(ofPayment(0, EVENT + 90 * DAY)[0])
    expect(payout('completed')).toBeNull()
  })
})

describe('a read that told nothing', () => {
  it('is made again in 15 minutes, later each time, and at last every 14 days', () => {
    expect([0, 1, 2, 20].map((failures) => readAgain(0, failures))).toEqual([
      15 * MINUTE,
      30 * MINUTE,
      60 * MINUTE,
      14 * DAY,
    ])
  })

  it('is not made for ever', () => {
    expect([readAgain(0, 30), readAfterFailure(0, 30)]).toEqual([null, null])
    expect(readAfterFailure(0, 0)).toBe(15_000)
  })
})
