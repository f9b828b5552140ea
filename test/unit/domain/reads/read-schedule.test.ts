import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mayReadEarly,
  nextAgreementPoll,
  nextPoll,
  readAfterExpiry,
  readAfterFailure,
  readAfterUntouched,
  readAgain,
} from '../../../../src/domain/reads/read-schedule.ts'
import { present } from '../../../store/contract/builders.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const EVENT = Date.parse('2030-01-02T03:04:05.678Z')

const WINDOW = 180 * DAY
const NO_LINK = { linkExpiresAt: null, windowMs: WINDOW, lateMs: 0 }

/** Returns the instants of all polls of a payment that does not change after an instant. */
function polls(rank: number, event = EVENT): number[] {
  const payment = { rank, updatedAt: new Date(event).toISOString() }
  const times: number[] = []
  for (let next = nextPoll(payment, event, NO_LINK); next !== null; next = nextPoll(payment, next.at, NO_LINK))
    times.push(next.at)
  return times
}

const events = fc.integer({ min: EVENT, max: EVENT + 365 * DAY })

describe('polls of payments', () => {
  it('begin when every retry of the last webhook is over, within a tenth', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 5 }), (event, rank) => {
        const [first = 0] = polls(rank, event)
        expect(Math.abs(first - event - 50 * MINUTE)).toBeLessThanOrEqual(5 * MINUTE)
      }),
    )
  })

  it.each([
    [0, 15 * MINUTE, 2, 14 * DAY],
    [1, 15 * MINUTE, 2, 14 * DAY],
    [2, HOUR, 2, 14 * DAY],
    [3, DAY, 6, WINDOW],
    [4, DAY, 6, WINDOW],
    [5, DAY, 6, WINDOW],
  ])('of rank %i grow from their first wait, and end', (rank, firstWait, factor, longest) => {
    fc.assert(
      fc.property(events, (event) => {
        const times = polls(rank, event)
        expect(times.at(-1)).toBe(event + (rank === 3 ? 7 * DAY : WINDOW))
        const waits = times.slice(1, -1).map((time, index) => time - (times[index] ?? 0))
        for (const [index, wait] of waits.entries()) {
          const planned = Math.min(firstWait * factor ** index, longest)
          expect(Math.abs(wait - planned)).toBeLessThanOrEqual(planned / 10 + 1)
        }
      }),
    )
  })

  it('of a paid payment are five, and of one that failed three', () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(polls(4, event).length).toBe(5)
        expect(polls(3, event).length).toBeLessThanOrEqual(4)
      }),
    )
  })

  it('end when nothing can come any more', () => {
    expect(nextPoll({ rank: 6, updatedAt: new Date(EVENT).toISOString() }, EVENT, NO_LINK)).toBeNull()
  })

  it.each([
    [0, [1, 7, 42]],
    [HOUR, [1, 15]],
    [6 * HOUR, [14]],
  ])('thin out while they are made %i ms late', (lateMs, days) => {
    const payment = { rank: 4, updatedAt: new Date(EVENT).toISOString() }
    const times: number[] = []
    for (let next = polls(4)[0]; next !== undefined;) {
      times.push(next)
      next = nextPoll(payment, next, { ...NO_LINK, lateMs })?.at
    }
    expect(times.slice(1, -1).map((time) => Math.round((time - EVENT) / DAY))).toEqual(
      days.map((day) => expect.closeTo(day, -1)),
    )
    expect(times).toHaveLength(days.length + 2)
    expect(times.at(-1)).toBe(EVENT + WINDOW)
  })

  it('of what failed end sooner while they are far behind', () => {
    const payment = { rank: 3, updatedAt: new Date(EVENT).toISOString() }
    expect(nextPoll(payment, EVENT + HOUR, { ...NO_LINK, lateMs: 6 * HOUR })).toBeNull()
  })

  it('end however late each of them was made', () => {
    const payment = { rank: 4, updatedAt: new Date(EVENT).toISOString() }
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 * DAY }), { minLength: 12, maxLength: 12 }), (delays) => {
        let now = EVENT
        let count = 0
        for (const delay of delays) {
          const next = nextPoll(payment, now, NO_LINK)
          if (next === null) break
          count += 1
          now = next.at + delay
        }
        expect(count).toBeLessThanOrEqual(6)
      }),
    )
  })

  it('of one hour keep their order, and those of another hour have other waits', () => {
    const hour = Math.ceil(EVENT / HOUR) * HOUR
    const minutes = Array.from({ length: 60 }, (_, minute) => polls(4, hour + minute * MINUTE)[1] ?? 0)
    expect(minutes).toEqual(minutes.toSorted((a, b) => a - b))
    const waits = Array.from({ length: 200 }, (_, n) => (polls(4, hour + n * HOUR)[1] ?? 0) - hour - n * HOUR)
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(4 * HOUR)
  })

  it('come a minute after the end of the link of an unpaid payment, and not again for it', () => {
    const end = EVENT + 10 * MINUTE
    const payment = { rank: 1, updatedAt: new Date(EVENT).toISOString() }
    const withLink = { ...NO_LINK, linkExpiresAt: end }
    expect(nextPoll(payment, EVENT, withLink)).toEqual({ at: readAfterExpiry(end), readClass: 'expiry' })
    expect(readAfterExpiry(end) - end).toBeGreaterThanOrEqual(MINUTE)
    expect(readAfterExpiry(end) - end).toBeLessThan(1.5 * MINUTE)
    expect(nextPoll(payment, readAfterExpiry(end), withLink)).toEqual({ at: polls(1)[0], readClass: 'poll' })
    expect(nextPoll({ ...payment, rank: 4 }, EVENT, withLink)).toEqual({ at: polls(4)[0], readClass: 'poll' })
  })
})

describe('a poll that is not due yet', () => {
  it('may be made with its neighbours within a tenth of the age', () => {
    expect(mayReadEarly(EVENT + DAY, EVENT, EVENT + DAY)).toBe(true)
    expect(mayReadEarly(EVENT + DAY, EVENT, EVENT + 0.95 * DAY)).toBe(true)
    expect(mayReadEarly(EVENT + DAY, EVENT, EVENT + 0.8 * DAY)).toBe(false)
  })
})

describe('a link that nobody used', () => {
  it('is read soon after its end, then at waits that double, and not for ever', () => {
    let reads = 0
    let now = EVENT
    for (let next = readAfterUntouched(EVENT + HOUR, now, WINDOW); next !== null; reads++) {
      expect(next).toBeGreaterThan(now)
      now = next
      next = readAfterUntouched(EVENT + HOUR, now, WINDOW)
    }
    expect(reads).toBeLessThan(30)
    expect(now).toBeGreaterThan(EVENT + WINDOW)
  })
})

describe('polls of agreements', () => {
  const agreement = { updatedAt: new Date(EVENT).toISOString() }
  const late = EVENT + 60 * MINUTE

  it('are close together while the payer has not answered', () => {
    const waiting = present(nextAgreementPoll({ ...agreement, status: 'created' }, late, WINDOW)).at - late
    const active = present(nextAgreementPoll({ ...agreement, status: 'active' }, late, WINDOW)).at - late
    expect(waiting).toBeLessThan(35 * MINUTE)
    expect(active).toBeGreaterThan(21 * HOUR)
    expect(nextAgreementPoll({ ...agreement, status: null }, late, WINDOW)?.at).toBe(late + active)
    expect(nextAgreementPoll({ ...agreement, status: 'active' }, EVENT + WINDOW, WINDOW)).toBeNull()
  })

  it.each(['cancelled', 'failed'] as const)('end with %s', (status) => {
    expect(nextAgreementPoll({ ...agreement, status }, late, WINDOW)).toBeNull()
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
