import { describe, expect, it } from 'vitest'
import { simulateReads } from '../../bench/support/simulate-reads.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const SEED = Number(process.env['TEST_SEED'] ?? 1)

/** More days than the last comparison of the first ones needs, with six gaps of two hours. */
const DAYS = 200

// promise(facts): At ten million payments a month, due reads do not pile up.
describe.each([100_000, 1_000_000, 10_000_000])('the reads of %i payments a month', (paymentsPerMonth) => {
  it(`settle doubts and find what webhooks lost in time, and do not pile up (seed ${SEED})`, () => {
    const figures = simulateReads({ paymentsPerMonth, days: DAYS, seed: SEED })
    expect(figures.doubtMs).toBeLessThanOrEqual(MINUTE_MS)
    expect(figures.underWayMs).toBeLessThanOrEqual(60 * MINUTE_MS)
    expect(figures.gapMs).toBeLessThanOrEqual(120 * MINUTE_MS)
    expect(figures.refundsMissed).toBe(0)
    expect(figures.refundMs).toBeLessThanOrEqual(200 * DAY_MS)
    const most = (of: (day: (typeof figures.days)[number]) => number) => Math.max(...figures.days.map(of))
    expect(most(({ doubtsDue }) => doubtsDue)).toBeLessThanOrEqual(10)
    expect(most(({ pollsDue }) => pollsDue)).toBeLessThanOrEqual(paymentsPerMonth / 10_000)
    // The links of a day are settled by its first comparison.
    expect(most(({ linksDue }) => linksDue)).toBeLessThanOrEqual(paymentsPerMonth / 120)
    // Up to a million payments a month, each comparison is made when it is due.
    expect(most(({ daysDue }) => daysDue)).toBeLessThanOrEqual(paymentsPerMonth <= 1_000_000 ? 0 : 180)
  })
})
