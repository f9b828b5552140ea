import { describe, expect, it } from 'vitest'
import { simulateReads } from '../../bench/support/simulate-reads.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SEED = Number(process.env['TEST_SEED'] ?? 1)

/** With a refund window of two weeks, six weeks contain payments of every age, and a gap of two hours. */
const OPTIONS = { days: 42, seed: SEED, refundWindowMs: 14 * DAY_MS }

// promise(facts): At ten million payments a month, due reads do not pile up.
describe.each([100_000, 1_000_000, 10_000_000])('the reads of %i payments a month', (paymentsPerMonth) => {
  it(`settle each doubt within a minute, and do not pile up (seed ${SEED})`, () => {
    const days = simulateReads({ ...OPTIONS, paymentsPerMonth })
    expect(Math.max(...days.map(({ longestDoubtMs }) => longestDoubtMs))).toBeLessThanOrEqual(60_000)
    expect(Math.max(...days.map(({ oldestPollMs }) => oldestPollMs))).toBeLessThanOrEqual(48 * HOUR_MS)
    // At the end of each day, at most the payments of two days wait, and as many expired links as there are payments in about a minute.
    expect(Math.max(...days.map(({ due }) => due.poll))).toBeLessThanOrEqual(paymentsPerMonth / 15)
    expect(Math.max(...days.map(({ due }) => due.expiry))).toBeLessThanOrEqual(paymentsPerMonth / 40_000)
  })
})
