import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payment-report.ts'
import { after, MINUTE, NOW, paymentOf, present, report, settledLink } from '../../contract/store/builders.ts'
import { doubt, NEVER_MS, readAll, setUp, type World } from './reader-world.ts'

describe('what falls due later', () => {
  it('is read when its time has come, without anybody waking the reader', async () => {
    const begun = performance.now()
    const { promise: reads, resolve } = Promise.withResolvers<number>()
    const elapsed = () => performance.now() - begun
    const world = await setUp(() => ({ clock: () => after(59 * MINUTE + 59_900 + elapsed(), NOW) }))
    // The read of a link is due a minute after its end.
    const made = await settledLink(world.store, 'a', { expiresAt: after(59 * MINUTE).toISOString() })
    world.answer = async () => {
      resolve(elapsed())
      return report('expired', { paymentId: made.id })
    }
    await readAll(world)
    expect(world.asked).toEqual([])
    expect(await reads).toBeGreaterThanOrEqual(99)
    await world.reader.idle()
    expect(world.asked).toEqual([made.id])
  })

  describe('by the timers of a test', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    /** Lets the store, which works by real turns, come to rest. */
    const settle = async () => {
      for (let turn = 0; turn < 20; turn++) await setImmediate()
    }

    /** Goes on, pauses included, until the read is made. */
    const untilRead = async ({ store }: World) => {
      while ((await store.reads.nextDue()) !== null) {
        await setImmediate()
        vi.advanceTimersByTime(1)
      }
    }

    it.each([
      ['a minute', MINUTE],
      ['fifty days', 50 * 24 * 60 * MINUTE],
    ])('is read after %s, and not before', async (_name, wait) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const world = await setUp()
      await doubt(world, 'PAY1', after(wait))
      world.reader.wake()
      await settle()
      const step = async (milliseconds: number) => {
        world.now = after(milliseconds, world.now)
        vi.advanceTimersByTime(milliseconds)
        await settle()
      }
      await step(wait / 2)
      await step(wait / 2 - 1)
      expect(world.asked).toEqual([])
      world.now = after(wait)
      await untilRead(world)
      expect(world.asked).toEqual(['PAY1'])
    })

    it('is read although the plan could not be read once', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      let failures = 1
      const world = await setUp((store) => ({
        reads: {
          ...store.reads,
          nextDue: () => (failures-- > 0 ? Promise.reject(new Error('The disk is away.')) : store.reads.nextDue()),
        },
      }))
      await doubt(world, 'PAY1', after(MINUTE))
      world.reader.wake()
      await settle()
      expect(failures).toBe(0)
      world.now = after(2 * MINUTE)
      vi.advanceTimersByTime(2 * MINUTE)
      await untilRead(world)
      expect(world.asked).toEqual(['PAY1'])
    })
  })
})

describe('close', () => {
  it('ends a pause, and nothing more is read', async () => {
    const world = await setUp(() => ({ paceMs: NEVER_MS }))
    await doubt(world, 'P1')
    await doubt(world, 'P2')
    world.answer = async ({ paymentId }) => report('received', { paymentId: present(paymentId) })
    world.reader.wake()
    while ((await paymentOf(world.store, 'P1')).status !== 'received') await setImmediate()
    await world.reader.close()
    world.reader.wake()
    await world.reader.idle()
    expect(world.asked).toEqual(['P1'])
  })

  it('waits for the read that is under way, and for nothing else', async () => {
    const world = await setUp(() => ({ paceMs: NEVER_MS }))
    await doubt(world, 'P1')
    await doubt(world, 'P2')
    const gate = Promise.withResolvers<PaymentReport>()
    const asked = Promise.withResolvers<void>()
    world.answer = () => {
      asked.resolve()
      return gate.promise
    }
    world.reader.wake()
    await asked.promise
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
