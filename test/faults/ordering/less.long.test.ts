import { describe, expect, it } from 'vitest'
import { LIMIT_MS, LOSSES, run } from './cells.ts'

// Each mechanism alone, to show its effect. The bounds hold only for many payments.
describe('with less', () => {
  it.each(LOSSES)(
    'polls without a sweep leave next to nothing wrong although %s',
    async (name, losses) => {
      const figures = await run(`polls: ${name}`, { ...losses, polls: true, sweep: false })
      expect(figures.statusWrong).toBeLessThanOrEqual(losses.outage === true ? 0.005 : 0)
      expect(figures.refundedWrong).toBeLessThanOrEqual(losses.outage === true ? 0.001 : 0)
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
