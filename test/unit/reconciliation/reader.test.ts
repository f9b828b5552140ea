import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  after,
  delivery,
  events,
  linkOf,
  MINUTE,
  NOW,
  paymentOf,
  pollAfter,
  present,
  report,
  settledLink,
} from '../../contract/store/builders.ts'
import { doubt, readAll, readNow, SECOND, setUp, subjectOf } from './reader-fixture.ts'

describe('a read that is due', () => {
  it('is made, applied as an event of our own, and then no more', async () => {
    const world = await setUp()
    await doubt(world)
    world.answer = async () => report('pending')
    await readAll(world)
    expect(await paymentOf(world.store)).toMatchObject({ status: 'pending', provisional: false })
    expect((await events(world.store)).at(-1)).toMatchObject({
      source: 'READ',
      fromStatus: 'failed',
      toStatus: 'pending',
    })
    await readAll(world)
    expect(world.asked).toEqual(['PAY1'])
    expect(await world.store.reads.nextDue()).toSatisfy(pollAfter(NOW))
  })

  it('that confirms the state leaves it as it is', async () => {
    const world = await setUp()
    await doubt(world)
    await readAll(world)
    expect((await events(world.store)).map(({ source }) => source)).toEqual(['WEBHOOK'])
    expect(await world.store.reads.nextDue()).toSatisfy(pollAfter(NOW))
  })

  it('is made longest due first, each subject once, at most two of a site at a time', async () => {
    const world = await setUp()
    const ids = ['P3', 'P1', 'P2']
    for (const [index, id] of ids.entries()) await doubt(world, id, { receivedAt: after(index * SECOND - MINUTE) })
    let underWay = 0
    world.answer = async (paymentId) => {
      expect(++underWay).toBeLessThanOrEqual(2)
      await setImmediate()
      underWay -= 1
      return report('failed', { paymentId })
    }
    await readAll(world)
    expect(world.asked).toEqual(ids)
  })

  it('that falls due while another is made is made too', async () => {
    const world = await setUp()
    await doubt(world, 'P1')
    world.answer = async (paymentId) => {
      if (paymentId === 'P1') {
        await doubt(world, 'P2')
        world.reader.wake()
      }
      return report('failed', { paymentId })
    }
    await readAll(world)
    expect(world.asked).toEqual(['P1', 'P2'])
  })

  it('of more subjects than fit into a batch leaves out none', async () => {
    const world = await setUp()
    const ids = Array.from({ length: 45 }, (_, index) => `P${index}`)
    for (const [index, id] of ids.entries()) await doubt(world, id, { receivedAt: after(index - MINUTE) })
    world.answer = async (paymentId) => report('failed', { paymentId })
    await readAll(world)
    expect(world.asked).toEqual(ids)
  })

  it('of a link that nobody used ends the link', async () => {
    const world = await setUp()
    const made = await settledLink(world.store, 'a')
    await world.time.pass(62 * MINUTE)
    world.answer = async () => report('expired', { paymentId: made.id })
    await readAll(world)
    expect(await linkOf(world.store, made.id)).toMatchObject({ expired: true, paymentId: null })
    expect((await events(world.store)).at(-1)).toMatchObject({ kind: 'LINK_EXPIRED', source: 'READ' })
  })
})

describe('a read that fails', () => {
  it('is put off twice as long each time, until one succeeds', async () => {
    const world = await setUp()
    await doubt(world)
    world.answer = () => Promise.reject(new Error('The service is away.'))
    const waits: number[] = []
    for (let failure = 1; failure <= 13; failure++) {
      await readAll(world)
      const wait = present(await world.store.reads.nextDue()).getTime() - world.time.clock().getTime()
      waits.push(wait / SECOND)
      await world.time.skip(wait - 1)
      expect(world.asked).toHaveLength(failure)
      if (failure === 13) world.answer = async () => report('received')
      await world.time.pass(1)
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720, 61_440])
    expect((await paymentOf(world.store)).status).toBe('received')
    expect((await subjectOf(world)).failures).toBe(0)
  })

  it('does not hold up the others', async () => {
    const world = await setUp()
    await doubt(world, 'P1')
    await doubt(world, 'P2')
    world.answer = async (paymentId) => {
      if (paymentId === 'P1') throw new Error('The service is away.')
      return report('received', { paymentId })
    }
    await readAll(world)
    expect((await paymentOf(world.store, 'P2')).status).toBe('received')
    expect((await subjectOf(world, 'P1')).failures).toBe(1)
  })

  it('because it tells of another payment changes nothing of either', async () => {
    const world = await setUp()
    await doubt(world)
    await doubt(world, 'OTHER')
    world.answer = async (paymentId) => report('received', { paymentId: paymentId === 'PAY1' ? 'OTHER' : 'PAY1' })
    const result = await readNow(world, await subjectOf(world))
    expect(result).toMatchObject({ kind: 'failed', error: { name: 'MisattributedReadError', safeMessage: true } })
    await readAll(world)
    for (const id of ['PAY1', 'OTHER']) {
      expect((await paymentOf(world.store, id)).status).toBe('failed')
      expect((await subjectOf(world, id)).failures).toBe(1)
    }
  })
})

describe('a read during which a webhook comes', () => {
  it('is made again, so that the older answer never wins', async () => {
    const world = await setUp()
    await doubt(world)
    world.answer = async () => {
      if (world.asked.length > 1) return report('received')
      await world.store.inbox.receive(delivery(report('received')))
      return report('failed')
    }
    expect(await readNow(world, await subjectOf(world))).toEqual({ kind: 'read', outcome: 'confirmed' })
    expect(world.asked).toHaveLength(2)
    expect((await events(world.store)).map(({ toStatus }) => toStatus)).toEqual(['failed', 'received'])
  })

  it('each time is left due after three attempts', async () => {
    const world = await setUp()
    await doubt(world)
    world.answer = async () => {
      await world.store.inbox.receive(delivery(report('failed'), { bytes: `${world.asked.length}` }))
      return report('pending')
    }
    expect(await readNow(world, await subjectOf(world))).toEqual({ kind: 'read', outcome: 'superseded' })
    expect(world.asked).toHaveLength(3)
    expect(await paymentOf(world.store)).toMatchObject({ status: 'failed' })
    expect(await world.store.reads.nextDue()).toEqual(NOW)
  })
})
