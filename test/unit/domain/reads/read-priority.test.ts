import { describe, expect, it } from 'vitest'
import { createReadOrder, URGENCIES, type Urgency } from '../../../../src/domain/reads/read-pace.ts'

/** Grants a number of reads while reads of these urgencies always wait. Returns the urgencies of the granted reads. */
function grants(count: number, waiting: readonly Urgency[], order = createReadOrder()): Urgency[] {
  const waits = (urgency: Urgency) => waiting.includes(urgency)
  return Array.from({ length: count }, () => {
    const next = order.next(waits)
    if (next === null) throw new Error('Nobody is next.')
    order.granted(next, waits)
    return next
  })
}

const shareOf = (urgency: Urgency, granted: readonly Urgency[]) =>
  granted.filter((one) => one === urgency).length / granted.length

describe('the order of reads', () => {
  it('has the most urgent first', () => {
    for (const [index, urgency] of URGENCIES.entries()) expect(grants(1, URGENCIES.slice(index))).toEqual([urgency])
    expect(createReadOrder().next(() => false)).toBeNull()
  })

  it('gives each class a share, however much is more urgent', () => {
    const granted = grants(9_000, URGENCIES)
    expect(shareOf('doubt', granted)).toBeGreaterThanOrEqual(0.25)
    expect(shareOf('expiry', granted)).toBeGreaterThanOrEqual(0.15)
    expect(shareOf('poll', granted)).toBeGreaterThanOrEqual(0.1)
    expect(shareOf('person', granted)).toBeGreaterThan(0.25)
  })

  it('gives doubts most of the budget where nobody asks', () => {
    expect(shareOf('doubt', grants(9_000, ['doubt', 'expiry', 'poll']))).toBeGreaterThan(0.65)
  })

  it('gives all of it to whoever waits alone', () => {
    expect(shareOf('poll', grants(100, ['poll']))).toBe(1)
  })

  it('lets a doubt wait for two other reads at most', () => {
    const order = createReadOrder()
    grants(50, ['expiry', 'poll'], order)
    expect(grants(3, ['doubt', 'expiry', 'poll'], order)).toContain('doubt')
    expect(grants(3, ['person', 'doubt', 'expiry', 'poll'], order)).toContain('doubt')
  })
})
