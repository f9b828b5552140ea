import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextAgreementPoll, nextPoll, readAgain } from '../../../src/domain/read-schedule.ts'
import { present } from '../../contract/store/builders.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const EVENT = Date.parse('2030-01-02T03:04:05.678Z')

function polls(rank: number, count: number, id = 'PAY1'): number[] {
  const payment = { id, rank, updatedAt: new Date(EVENT).toISOString() }
  const times: number[] = []
  for (let now = EVENT; times.length < count;) {
    now = present(nextPoll(payment, now, null))
    times.push(now)
  }
  return times
}

const ids = fc.uuid()

describe('polls of payments', () => {
  it('begin when every retry of the last webhook is over, within a tenth', () => {
    fc.assert(
      fc.property(ids, fc.integer({ min: 0, max: 5 }), (id, rank) => {
        const [first = 0] = polls(rank, 1, id)
        expect(Math.abs(first - EVENT - 50 * MINUTE)).toBeLessThanOrEqual(5 * MINUTE)
      }),
    )
  })

  it.each([
    [0, 15 * MINUTE],
    [1, 15 * MINUTE],
    [2, HOUR],
    [3, DAY],
    [4, DAY],
    [5, DAY],
  ])('of rank %i double from their first wait up to 14 days', (rank, firstWait) => {
    fc.assert(
      fc.property(ids, (id) => {
        const times = polls(rank, 15, id)
        const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
        for (const [index, wait] of waits.entries()) {
          const planned = Math.min(firstWait * 2 ** index, 14 * DAY)
          expect(Math.abs(wait - planned)).toBeLessThanOrEqual(planned / 10 + 1)
        }
      }),
    )
  })

  it('end when nothing can come any more', () => {
    expect(nextPoll({ id: 'PAY1', rank: 6, updatedAt: new Date(EVENT).toISOString() }, EVENT, null)).toBeNull()
  })

  it('do not fall on one instant for payments of one instant', () => {
    const first = Array.from({ length: 200 }, (_, number) => polls(0, 1, `PAY${number}`)[0] ?? 0)
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(9 * MINUTE)
    expect(new Set(first).size).toBeGreaterThan(190)
  })

  it('come a minute after the end of the link of an unpaid payment, and not again for it', () => {
    const end = EVENT + 10 * MINUTE
    const payment = { id: 'PAY1', rank: 1, updatedAt: new Date(EVENT).toISOString() }
    expect(nextPoll(payment, EVENT, end)).toBe(end + MINUTE)
    expect(nextPoll(payment, end + MINUTE, end)).toBe(polls(1, 1)[0])
    expect(nextPoll({ ...payment, rank: 4 }, EVENT, end)).toBe(polls(4, 1)[0])
  })
})

describe('polls of agreements', () => {
  const agreement = { id: 'AGR1', updatedAt: new Date(EVENT).toISOString() }
  const late = EVENT + 60 * MINUTE

  it('are close together while the payer has not answered', () => {
    const waiting = present(nextAgreementPoll({ ...agreement, status: 'created' }, late)) - late
    const active = present(nextAgreementPoll({ ...agreement, status: 'active' }, late)) - late
    expect(waiting).toBeLessThan(35 * MINUTE)
    expect(active).toBeGreaterThan(21 * HOUR)
    expect(nextAgreementPoll({ ...agreement, status: null }, late)).toBe(late + active)
  })

  it.each(['cancelled', 'failed'] as const)('end with %s', (status) => {
    expect(nextAgreementPoll({ ...agreement, status }, late)).toBeNull()
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
})
