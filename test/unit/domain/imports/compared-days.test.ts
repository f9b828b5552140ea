import { describe, expect, it } from 'vitest'
import { lastComparedDay, nextComparedDay, spanOfDay } from '../../../../src/domain/imports/compared-days.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2030-01-01T00:00:00Z')

/** Makes each comparison when it is due, and one a time takes `takesMs`. Returns the ages in days at which each day was compared. */
function compare(days: number, { from = 0, takesMs = HOUR / 2 }: { from?: number; takesMs?: number } = {}): number[][] {
  const comparedAt = new Map<number, number>()
  const ages = new Map<number, number[]>()
  for (let now = START + from * DAY; now < START + days * DAY;) {
    const day = nextComparedDay(now, { since: START + HOUR, comparedAt })
    if (day !== null) {
      comparedAt.set(day, now)
      ages.set(day, [...(ages.get(day) ?? []), (now - day) / DAY])
    }
    now += day === null ? HOUR / 2 : takesMs
  }
  return [...ages.entries()].toSorted(([a], [b]) => a - b).map(([, own]) => own)
}

describe('the comparison of days', () => {
  it('is made an hour after the end of a day, and again after 7, 30, 90 and 180 days', () => {
    const all = compare(200)
    expect(all).toHaveLength(199)
    const hour = 1 / 24
    for (const ages of all.slice(0, 19)) expect(ages.map((age) => Math.floor(age))).toEqual([1, 7, 30, 90, 180])
    for (const ages of all)
      for (const age of ages) {
        expect(age % 1).toBeGreaterThanOrEqual(hour - 1e-9)
        expect(age % 1).toBeLessThanOrEqual(6 * hour)
      }
  })

  it('begins with the day on which the first payment was recorded, and there is none without one', () => {
    expect(nextComparedDay(START, { since: null, comparedAt: new Map() })).toBeNull()
    const due = (now: number) => nextComparedDay(START + now, { since: START + HOUR, comparedAt: new Map() })
    expect([due(DAY + HOUR - 1), due(DAY + HOUR), due(5 * DAY)]).toEqual([null, START, START])
  })

  it('of the days of a gap comes first, oldest first, and each of them once', () => {
    const comparedAt = new Map([0, 1, 2].map((day) => [START + day * DAY, START + (day + 1) * DAY + HOUR]))
    const now = START + 50 * DAY
    const order: number[] = []
    for (let day = nextComparedDay(now, { since: START, comparedAt }); day !== null;) {
      order.push((day - START) / DAY)
      comparedAt.set(day, now)
      day = nextComparedDay(now, { since: START, comparedAt })
    }
    expect(order.slice(0, 46)).toEqual(Array.from({ length: 46 }, (_, index) => index + 3))
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 49 }, (_, index) => index))
  })

  it('is made less often, but of each day and until its last age, when there is too little time for all', () => {
    // Five comparisons a day would take 35 hours.
    const all = compare(365, { takesMs: 7 * HOUR })
    for (const ages of all.slice(0, 150)) {
      expect(ages[0]).toBeLessThan(2)
      expect(ages.length).toBeGreaterThanOrEqual(3)
      expect(ages.at(-1)).toBeGreaterThanOrEqual(180)
      expect(ages.at(-1)).toBeLessThan(200)
    }
  })

  it('is not due again for a day that a wrong clock is behind or ahead of', () => {
    const comparedAt = new Map([[START, START - DAY]])
    expect(nextComparedDay(START + 2 * DAY, { since: START, comparedAt })).toBe(START)
    comparedAt.set(START, START + 1_000 * DAY)
    expect(nextComparedDay(START + DAY + HOUR, { since: START, comparedAt })).toBeNull()
  })

  it('names a day by its start, in UTC', () => {
    expect(spanOfDay(START)).toEqual({ from: START, to: START + DAY - 1 })
    expect([lastComparedDay(START + DAY + HOUR - 1), lastComparedDay(START + DAY + HOUR)]).toEqual([START - DAY, START])
  })
})
