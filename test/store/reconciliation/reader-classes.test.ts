import { describe, expect, it } from 'vitest'
import { pollAt } from '../../support/due-reads.ts'
import { after, delivery, MINUTE, NOW, paymentOf, report } from '../contract/builders.ts'
import { SECOND, setUp, type ReaderFixture } from './reader-fixture.ts'

/** Stores paid payments whose polls have been due for an hour. */
async function polls(fixture: ReaderFixture, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const paymentId = `POLL${String(n).padStart(3, '0')}`
    await fixture.store.inbox.receive(delivery(report('received', { paymentId }), { receivedAt: after(-60 * MINUTE) }))
    await pollAt(fixture.store.reads, paymentId, after(-60 * MINUTE))
  }
}

const tell = (fixture: ReaderFixture, status: string, paymentId: string) =>
  fixture.store.inbox.receive(delivery(report(status, { paymentId }), { receivedAt: fixture.time.clock() }))

// promise(facts): Confirmations of webhooks wait neither for expired links nor for polls.
describe('a webhook that is to be confirmed', () => {
  it('does not wait behind polls, however many have been due for however long', async () => {
    const fixture = await setUp({ perSecond: 2 })
    fixture.answer = async (paymentId) => report(paymentId === 'FRESH' ? 'in_dispute' : 'received', { paymentId })
    await polls(fixture, 200)
    await tell(fixture, 'received', 'FRESH')
    fixture.reader.wake()
    await fixture.time.pass(10 * SECOND)
    await tell(fixture, 'in_dispute', 'FRESH')
    const before = fixture.asked.length
    fixture.reader.wake()
    await fixture.time.pass(3 * SECOND)
    expect(fixture.asked.slice(before)).toContain('FRESH')
    expect((await paymentOf(fixture.store, 'FRESH')).provisional).toBe(false)
  })

  it('does not wait for the answers to polls', async () => {
    const fixture = await setUp({ perSecond: 2 })
    const never = Promise.withResolvers<ReturnType<typeof report>>()
    fixture.answer = (paymentId) =>
      paymentId.startsWith('POLL') ? never.promise : Promise.resolve(report('failed', { paymentId }))
    await polls(fixture, 5)
    fixture.reader.wake()
    await fixture.time.pass(5 * SECOND)
    await tell(fixture, 'failed', 'FRESH')
    fixture.reader.wake()
    await fixture.time.pass(3 * SECOND)
    expect(fixture.asked).toContain('FRESH')
    never.resolve(report('received', { paymentId: 'POLL000' }))
  })
})

describe('polls', () => {
  it('have a share of the budget while there are always doubts', async () => {
    const fixture = await setUp({ perSecond: 2 })
    fixture.answer = async (paymentId) => report(paymentId.startsWith('POLL') ? 'received' : 'failed', { paymentId })
    await polls(fixture, 30)
    for (let n = 0; n < 200; n++)
      await fixture.store.inbox.receive(delivery(report('failed', { paymentId: `DOUBT${n}` }), { receivedAt: NOW }))
    fixture.reader.wake()
    await fixture.time.pass(60 * SECOND)
    const polled = fixture.asked.filter((id) => id.startsWith('POLL')).length
    expect(polled).toBeGreaterThanOrEqual(fixture.asked.length / 12)
    expect(polled).toBeLessThanOrEqual(fixture.asked.length / 6)
  })
})
