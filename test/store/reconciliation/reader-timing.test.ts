import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { after, MINUTE, paymentOf, report } from '../contract/builders.ts'
import { doubt, readAll, SECOND, setUp } from './reader-fixture.ts'

describe('what falls due later', () => {
  it.each([
    ['a second', SECOND],
    ['a minute', MINUTE],
    ['ten minutes', 10 * MINUTE],
  ])('is read within five seconds after %s, and not before, without anybody waking the reader', async (_name, wait) => {
    const fixture = await setUp()
    await doubt(fixture, 'PAY1', { receivedAt: after(wait) })
    await readAll(fixture)
    await fixture.time.passUntil(() => fixture.asked.length > 0, 20 * MINUTE)
    expect(fixture.asked).toEqual(['PAY1'])
    expect(fixture.time.elapsed() - wait).toBeGreaterThanOrEqual(0)
    expect(fixture.time.elapsed() - wait).toBeLessThanOrEqual(5 * SECOND)
  })

  it('is read although the plan could not be read once', async () => {
    let failures = 1
    const fixture = await setUp({
      reads: (store) => ({
        ...store.reads,
        due: (query) => (failures-- > 0 ? Promise.reject(new Error('The disk is away.')) : store.reads.due(query)),
      }),
    })
    await doubt(fixture, 'PAY1', { receivedAt: after(MINUTE) })
    await readAll(fixture)
    await fixture.time.pass(2 * MINUTE)
    expect(failures).toBeLessThan(0)
    expect(fixture.asked).toEqual(['PAY1'])
  })
})

describe('a store that keeps nothing', () => {
  it('stops the reads for a while, instead of asking the payments API again and again', async () => {
    const fixture = await setUp({
      reads: (store) => ({
        ...store.reads,
        record: () => Promise.reject(new Error('The disk is full.')),
        postpone: () => Promise.reject(new Error('The disk is full.')),
      }),
    })
    await doubt(fixture)
    fixture.reader.wake()
    await fixture.time.pass(60 * SECOND)
    expect(fixture.asked.length).toBeGreaterThan(2)
    expect(fixture.asked.length).toBeLessThanOrEqual(5)
  })
})

describe('close', () => {
  it('ends a wait for a turn, and nothing more is read', async () => {
    const fixture = await setUp({ perSecond: 2 })
    for (const id of ['P1', 'P2', 'P3']) await doubt(fixture, id)
    fixture.reader.wake()
    await fixture.time.pass(1)
    expect(fixture.asked).toEqual(['P1'])
    fixture.budget.close()
    await fixture.reader.close()
    fixture.reader.wake()
    await fixture.time.pass(MINUTE)
    expect(fixture.asked).toEqual(['P1'])
  })

  it('waits for the read that is under way, and for nothing else', async () => {
    const fixture = await setUp()
    await doubt(fixture, 'P1')
    const gate = Promise.withResolvers<PaymentReport>()
    const asked = Promise.withResolvers<void>()
    fixture.answer = () => {
      asked.resolve()
      return gate.promise
    }
    fixture.reader.wake()
    await asked.promise
    await doubt(fixture, 'P2')
    let closed = false
    const closing = fixture.reader.close().then(() => (closed = true))
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    expect(closed).toBe(false)
    gate.resolve(report('received', { paymentId: 'P1' }))
    await closing
    expect((await paymentOf(fixture.store, 'P1')).status).toBe('received')
    expect(fixture.asked).toEqual(['P1'])
  })
})
