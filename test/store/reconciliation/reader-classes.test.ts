import { describe, expect, it } from 'vitest'
import { pollAt } from '../../support/due-reads.ts'
import { after, delivery, MINUTE, paymentOf, report, settledLink } from '../contract/builders.ts'
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
})

describe('polls', () => {
  it('come after doubts and before expired links, and the latest first: the oldest are settled by comparisons', async () => {
    const fixture = await setUp({ perSecond: 2 })
    fixture.answer = async (paymentId) => report('received', { paymentId })
    const made = await settledLink(fixture.store, 'a', { expiresAt: after(-MINUTE).toISOString() })
    await polls(fixture, 2)
    await pollAt(fixture.store.reads, 'POLL000', after(-61 * MINUTE))
    await tell(fixture, 'failed', 'DOUBT')
    fixture.reader.wake()
    await fixture.time.pass(10 * SECOND)
    expect(fixture.asked).toEqual(['DOUBT', 'POLL001', 'POLL000', made.id])
  })
})
