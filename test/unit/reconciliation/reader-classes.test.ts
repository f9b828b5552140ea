import { describe, expect, it } from 'vitest'
import { after, delivery, MINUTE, NOW, paymentOf, report } from '../../contract/store/builders.ts'
import { pollAt } from '../../support/due-reads.ts'
import { SECOND, setUp, type World } from './reader-fixture.ts'

/** Paid payments whose polls have been due for an hour. */
async function polls(world: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const paymentId = `POLL${String(n).padStart(3, '0')}`
    await world.store.inbox.receive(delivery(report('received', { paymentId }), { receivedAt: after(-60 * MINUTE) }))
    await pollAt(world.store.reads, paymentId, after(-60 * MINUTE))
  }
}

const tell = (world: World, status: string, paymentId: string) =>
  world.store.inbox.receive(delivery(report(status, { paymentId }), { receivedAt: world.time.clock() }))

describe('a webhook that is to be confirmed', () => {
  it('does not wait behind polls, however many have been due for however long', async () => {
    const world = await setUp({ perSecond: 2 })
    world.answer = async (paymentId) => report(paymentId === 'FRESH' ? 'in_dispute' : 'received', { paymentId })
    await polls(world, 200)
    await tell(world, 'received', 'FRESH')
    world.reader.wake()
    await world.time.pass(10 * SECOND)
    await tell(world, 'in_dispute', 'FRESH')
    const before = world.asked.length
    world.reader.wake()
    await world.time.pass(3 * SECOND)
    expect(world.asked.slice(before)).toContain('FRESH')
    expect((await paymentOf(world.store, 'FRESH')).provisional).toBe(false)
  })

  it('does not wait for the answers to polls', async () => {
    const world = await setUp({ perSecond: 2 })
    const never = Promise.withResolvers<ReturnType<typeof report>>()
    world.answer = (paymentId) =>
      paymentId.startsWith('POLL') ? never.promise : Promise.resolve(report('failed', { paymentId }))
    await polls(world, 5)
    world.reader.wake()
    await world.time.pass(5 * SECOND)
    await tell(world, 'failed', 'FRESH')
    world.reader.wake()
    await world.time.pass(3 * SECOND)
    expect(world.asked).toContain('FRESH')
    never.resolve(report('received', { paymentId: 'POLL000' }))
  })
})

describe('polls', () => {
  it('have a share of the budget while there are always doubts', async () => {
    const world = await setUp({ perSecond: 2 })
    world.answer = async (paymentId) => report(paymentId.startsWith('POLL') ? 'received' : 'failed', { paymentId })
    await polls(world, 30)
    for (let n = 0; n < 200; n++)
      await world.store.inbox.receive(delivery(report('failed', { paymentId: `DOUBT${n}` }), { receivedAt: NOW }))
    world.reader.wake()
    await world.time.pass(60 * SECOND)
    const polled = world.asked.filter((id) => id.startsWith('POLL')).length
    expect(polled).toBeGreaterThanOrEqual(world.asked.length / 12)
    expect(polled).toBeLessThanOrEqual(world.asked.length / 6)
  })
})
