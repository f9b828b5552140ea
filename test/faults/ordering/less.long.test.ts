import { describe, expect, it } from 'vitest'
import { LIMIT_MS, LOSSES, run } from './cells.ts'

// The parts alone: what each of them is for. The bars hold for many payments only.
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
