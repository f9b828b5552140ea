import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { readAfterExpiry } from '../../../src/domain/reads/read-schedule.ts'
import { after, NOW, MINUTE, paymentOf, report, settledLink } from '../../contract/store/builders.ts'
import { doubt, readAll, SECOND, setUp } from './reader-fixture.ts'

describe('what falls due later', () => {
  it.each([
    ['a second', SECOND],
    ['a minute', MINUTE],
    ['ten minutes', 10 * MINUTE],
  ])('is read after %s, and not before, without anybody waking the reader', async (_name, wait) => {
    const world = await setUp()
    await doubt(world, 'PAY1', { receivedAt: after(wait) })
    await readAll(world)
    await world.time.passUntil(() => world.asked.length > 0, 20 * MINUTE)
    expect(world.asks).toEqual([{ id: 'PAY1', site: 'au', at: wait }])
  })

  it('is read at its instant, also when it is that of a link a minute after its end, at the next half minute', async () => {
    const world = await setUp()
    const made = await settledLink(world.store, 'a', { expiresAt: after(MINUTE).toISOString() })
    world.answer = async (paymentId) => report('expired', { paymentId })
    await readAll(world)
    await world.time.passUntil(() => world.asked.length > 0, 10 * MINUTE)
    expect(world.asks).toEqual([
      { id: made.id, site: 'au', at: readAfterExpiry(after(MINUTE).getTime()) - NOW.getTime() },
    ])
  })

  it('is read although the plan could not be read once', async () => {
    let failures = 1
    const world = await setUp({
      reads: (store) => ({
        ...store.reads,
        nextDue: () => (failures-- > 0 ? Promise.reject(new Error('The disk is away.')) : store.reads.nextDue()),
      }),
    })
    await doubt(world, 'PAY1', { receivedAt: after(MINUTE) })
    await readAll(world)
    await world.time.pass(2 * MINUTE)
    expect(failures).toBeLessThan(0)
    expect(world.asked).toEqual(['PAY1'])
  })
})

describe('a store that keeps nothing', () => {
  it('stops the reads for a while, instead of asking the service again and again', async () => {
    const world = await setUp({
      reads: (store) => ({
        ...store.reads,
        record: () => Promise.reject(new Error('The disk is full.')),
        postpone: () => Promise.reject(new Error('The disk is full.')),
      }),
    })
    await doubt(world)
    world.reader.wake()
    await world.time.pass(60 * SECOND)
    expect(world.asked.length).toBeGreaterThan(2)
    expect(world.asked.length).toBeLessThanOrEqual(5)
  })
})

describe('close', () => {
  it('ends a wait for a turn, and nothing more is read', async () => {
    const world = await setUp({ perSecond: 2 })
    for (const id of ['P1', 'P2', 'P3']) await doubt(world, id)
    world.reader.wake()
    await world.time.pass(1)
    expect(world.asked).toEqual(['P1', 'P2'])
    world.budget.close()
    await world.reader.close()
    world.reader.wake()
    await world.time.pass(MINUTE)
    expect(world.asked).toEqual(['P1', 'P2'])
  })

  it('waits for the read that is under way, and for nothing else', async () => {
    const world = await setUp()
    await doubt(world, 'P1')
    const gate = Promise.withResolvers<PaymentReport>()
    const asked = Promise.withResolvers<void>()
    world.answer = () => {
      asked.resolve()
      return gate.promise
    }
    world.reader.wake()
    await asked.promise
    await doubt(world, 'P2')
    let closed = false
    const closing = world.reader.close().then(() => (closed = true))
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    expect(closed).toBe(false)
    gate.resolve(report('received', { paymentId: 'P1' }))
    await closing
    expect((await paymentOf(world.store, 'P1')).status).toBe('received')
    expect(world.asked).toEqual(['P1'])
  })
})
