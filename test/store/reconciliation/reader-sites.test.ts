import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { type FaultDetail, UpstreamFault } from '../../../src/upstream/upstream-fault.ts'
import { after, MINUTE, paymentOf, report } from '../contract/builders.ts'
import { doubt, readAll, SECOND, setUp, subjectOf, type ReaderFixture } from './reader-fixture.ts'

const received = async (paymentId: string) => report('received', { paymentId })
const failing = (detail: FaultDetail) => () => Promise.reject(new UpstreamFault(detail))
const throttled = (retryAfterSeconds: number | null) =>
  failing({ kind: 'throttled', httpStatus: 429, retryAfterSeconds })

/** Stores payments of the Australian site that are due before all others. Returns their ids. */
async function backlog(fixture: ReaderFixture, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `AU${String(index).padStart(3, '0')}`)
  await Promise.all(ids.map((id) => doubt(fixture, id, { receivedAt: after(-MINUTE) })))
  return ids
}

const askedOf = ({ asks }: ReaderFixture, site: string) => asks.filter((ask) => ask.site === site).map(({ id }) => id)

describe('a site that is held back', () => {
  it('holds up no other, however much of it is due', async () => {
    const fixture = await setUp()
    await backlog(fixture, 250)
    await doubt(fixture, 'JP', { currency: 'JPY' })
    fixture.answer = (id, { id: site }) => (site === 'au' ? throttled(3600)() : received(id))
    await readAll(fixture)
    expect(askedOf(fixture, 'jp')).toEqual(['JP'])
    expect(askedOf(fixture, 'au').length).toBeLessThanOrEqual(2)
    // The backlog does not delay reads that become due later either.
    await doubt(fixture, 'JP2', { currency: 'JPY', receivedAt: fixture.time.clock() })
    await readAll(fixture)
    expect(askedOf(fixture, 'jp')).toEqual(['JP', 'JP2'])
  })

  it('is read on when its time is over: what was due is due since the same instant, and nothing counts as failed', async () => {
    const fixture = await setUp()
    const ids = await backlog(fixture, 30)
    fixture.answer = throttled(90)
    await readAll(fixture)
    expect(fixture.asks.length).toBeLessThanOrEqual(2)
    expect(await subjectOf(fixture, ids[0])).toMatchObject({ failures: 0, dueAt: after(-MINUTE) })
    const before = fixture.asks.length
    fixture.answer = received
    await fixture.time.pass(90 * SECOND - 1)
    expect(fixture.asks).toHaveLength(before)
    await fixture.time.passUntil(
      async () => (await fixture.store.reads.backlog(fixture.time.clock())).waiting === 0,
      MINUTE,
    )
    expect(askedOf(fixture, 'au').slice(before)).toEqual(ids)
  })

  it('because it is out of reach is tried again, and its payments are not put off', async () => {
    const fixture = await setUp()
    await backlog(fixture, 3)
    fixture.answer = failing({ kind: 'not-sent', reason: 'refused' })
    fixture.reader.wake()
    await fixture.time.pass(60 * SECOND)
    expect(fixture.asks.length).toBeLessThanOrEqual(10)
    expect(await subjectOf(fixture, 'AU000')).toMatchObject({ failures: 0, dueAt: after(-MINUTE) })
    fixture.answer = received
    await fixture.time.pass(60 * SECOND)
    expect((await paymentOf(fixture.store, 'AU002')).status).toBe('received')
  })

  it('by one payment that it will not show goes on with the others', async () => {
    const fixture = await setUp()
    await backlog(fixture, 3)
    fixture.answer = (id) =>
      id === 'AU000'
        ? failing({ kind: 'forbidden', httpStatus: 403, code: null, message: null, fields: [] })()
        : received(id)
    fixture.reader.wake()
    await fixture.time.pass(3 * MINUTE)
    expect((await paymentOf(fixture.store, 'AU002')).status).toBe('received')
    expect((await subjectOf(fixture, 'AU000')).failures).toBeGreaterThan(0)
  })
})

describe('a slow site', () => {
  it('has two planned reads under way, and the others go on', async () => {
    const fixture = await setUp()
    await backlog(fixture, 5)
    for (const id of ['JP1', 'JP2', 'JP3']) await doubt(fixture, id, { currency: 'JPY' })
    const gate = Promise.withResolvers<void>()
    fixture.answer = async (id, { id: site }) => {
      if (site === 'au') await gate.promise
      return received(id)
    }
    fixture.reader.wake()
    await fixture.time.pass(10 * SECOND)
    expect(askedOf(fixture, 'au')).toEqual(['AU000', 'AU001'])
    expect(askedOf(fixture, 'jp')).toEqual(['JP1', 'JP2', 'JP3'])
    gate.resolve()
    await readAll(fixture)
    expect(askedOf(fixture, 'au')).toHaveLength(5)
  })
})

describe('a payment of which no site is known', () => {
  it('is put off like any read that fails, and holds up nobody', async () => {
    const fixture = await setUp()
    await doubt(fixture, 'US', { currency: 'USD', receivedAt: after(-MINUTE) })
    await doubt(fixture, 'AU')
    fixture.answer = received
    await readAll(fixture)
    expect(fixture.asked).toEqual(['AU'])
    expect((await subjectOf(fixture, 'US')).failures).toBe(1)
  })
})

describe('a person who asks', () => {
  it('joins the read that is under way, without a turn of their own', async () => {
    const fixture = await setUp({ perSecond: 2 })
    await doubt(fixture)
    await doubt(fixture, 'PAY2')
    const gate = Promise.withResolvers<PaymentReport>()
    fixture.answer = (id) => (id === 'PAY1' ? gate.promise : received(id))
    fixture.reader.wake()
    await fixture.time.pass(1)
    // Time does not pass from here on, so that no other read gets a turn.
    const subject = await subjectOf(fixture)
    const asking = [fixture.readPayment(subject), fixture.readPayment(subject)]
    await setImmediate()
    gate.resolve(report('received'))
    const changed = { kind: 'read', outcome: 'changed' }
    expect(await Promise.all(asking)).toEqual([changed, changed])
    expect(fixture.asked).toEqual(['PAY1'])
    expect(fixture.outcomes).toEqual(['changed'])
  })
})
