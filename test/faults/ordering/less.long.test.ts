import { describe, expect, it } from 'vitest'
import { LIMIT_MS, LOSSES, run } from './cells.ts'

// Each mechanism alone, to show its effect. The bounds hold only for many payments.
describe('with less', () => {
  it.each(LOSSES)(
    'polls and comparisons without a sweep leave nothing wrong after the next comparison although %s',
    async (name, losses) => {
      const figures = await run(`polls and comparisons: ${name}`, { ...losses, polls: true, sweep: false })
      expect(figures).toMatchObject({ statusWrong: 0, refundedWrong: 0 })
    },
    LIMIT_MS,
  )

  it.each(LOSSES.filter(([, { outage }]) => outage !== true))(
    'reads in doubt alone leave little wrong although %s',
    async (name, losses) => {
      const figures = await run(`reads in doubt: ${name}`, { ...losses, polls: false, sweep: false })
      expect(figures.statusWrong).toBeLessThanOrEqual(losses.lost > 0.05 ? 0.0005 : 0)
      expect(figures.refundedWrong).toBe(0)
      expect(figures.readsPerPayment).toBeLessThan(1.5)
    },
    LIMIT_MS,
  )
})
