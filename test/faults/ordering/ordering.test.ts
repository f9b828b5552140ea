import { describe, expect, it } from 'vitest'
import { LIMIT_MS, LOSSES, run } from './cells.ts'

// promise(facts): Of thousands of payments whose webhooks are late, repeated or lost, none is wrong after the
// next comparison.
describe('with reads where a webhook leaves a doubt, polls, comparisons, and a sweep after an outage', () => {
  it.each(LOSSES)(
    'nothing is wrong after the next comparison although %s',
    async (name, losses) => {
      const figures = await run(`polls, comparisons and sweep: ${name}`, { ...losses, polls: true, sweep: true })
      expect(figures).toMatchObject({ statusWrong: 0, refundedWrong: 0 })
      expect(figures.readsPerPayment).toBeLessThan(10)
    },
    LIMIT_MS,
  )
})
