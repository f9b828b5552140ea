import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { type FaultDetail, UpstreamFault } from '../../../src/upstream/client/faults.ts'
import { after, MINUTE, NOW, paymentOf, report } from '../../contract/store/builders.ts'
import { doubt, readAll, readNow, SECOND, setUp, subjectOf, type World } from './reader-fixture.ts'

const received = async (paymentId: string) => report('received', { paymentId })
const failing = (detail: FaultDetail) => () => Promise.reject(new UpstreamFault(detail))
const throttled = (retryAfterSeconds: number | null) =>
  failing({ kind: 'throttled', httpStatus: 429, retryAfterSeconds })

/** Payments of the Australian site, all due before anything else. */
async function backlog(world: World, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `AU${String(index).padStart(3, '0')}`)
  await Promise.all(ids.map((id) => doubt(world, id, { receivedAt: after(-MINUTE) })))
  return ids
}

const askedOf = ({ asks }: World, site: string) => asks.filter((ask) => ask.site === site).map(({ id }) => id)

describe('a site that is held back', () => {
  it('holds up no other, however much of it is due', async () => {
    const world = await setUp()
    await backlog(world, 250)
    await doubt(world, 'JP', { currency: 'JPY' })
    world.answer = (id, { id: site }) => (site === 'au' ? throttled(3600)() : received(id))
    await readAll(world)
    expect(askedOf(world, 'jp')).toEqual(['JP'])
    expect(askedOf(world, 'au').length).toBeLessThanOrEqual(2)
    // What falls due later finds its way past the backlog too.
    await doubt(world, 'JP2', { currency: 'JPY', receivedAt: world.time.clock() })
    await readAll(world)
    expect(askedOf(world, 'jp')).toEqual(['JP', 'JP2'])
  })

  it('is read on when its time is over: what was due is due since the same instant, and nothing counts as failed', async () => {
    const world = await setUp()
    const ids = await backlog(world, 30)
    world.answer = throttled(90)
    await readAll(world)
    expect(world.asks.length).toBeLessThanOrEqual(2)
    expect(await subjectOf(world, ids[0])).toMatchObject({ failures: 0, dueAt: after(-MINUTE) })
    const before = world.asks.length
    world.answer = received
    await world.time.pass(90 * SECOND - 1)
    expect(world.asks).toHaveLength(before)
    await world.time.passUntil(async () => (await world.store.reads.backlog(world.time.clock())).waiting === 0, MINUTE)
    expect(askedOf(world, 'au').slice(before)).toEqual(ids)
  })

  it('because it is out of reach is tried again, and its payments are not put off', async () => {
    const world = await setUp()
    await backlog(world, 3)
    world.answer = failing({ kind: 'not-sent', reason: 'refused' })
    world.reader.wake()
    await world.time.pass(60 * SECOND)
    expect(world.asks.length).toBeLessThanOrEqual(10)
    expect(await subjectOf(world, 'AU000')).toMatchObject({ failures: 0, dueAt: after(-MINUTE) })
    world.answer = received
    await world.time.pass(60 * SECOND)
    expect((await paymentOf(world.store, 'AU002')).status).toBe('received')
  })

  it('by one payment that it will not show goes on with the others', async () => {
    const world = await setUp()
    await backlog(world, 3)
    world.answer = (id) =>
      id === 'AU000' ? failing({ kind: 'credentials', httpStatus: 403, site: 'au' })() : received(id)
    world.reader.wake()
    await world.time.pass(3 * MINUTE)
    expect((await paymentOf(world.store, 'AU002')).status).toBe('received')
    expect((await subjectOf(world, 'AU000')).failures).toBeGreaterThan(0)
  })
})

describe('a slow site', () => {
  it('has two planned reads under way, and the others go on', async () => {
    const world = await setUp()
    await backlog(world, 5)
    for (const id of ['JP1', 'JP2', 'JP3']) await doubt(world, id, { currency: 'JPY' })
    const gate = Promise.withResolvers<void>()
    world.answer = async (id, { id: site }) => {
      if (site === 'au') await gate.promise
      return received(id)
    }
    world.reader.wake()
    await world.time.pass(10 * SECOND)
    expect(askedOf(world, 'au')).toEqual(['AU000', 'AU001'])
    expect(askedOf(world, 'jp')).toEqual(['JP1', 'JP2', 'JP3'])
    gate.resolve()
    await readAll(world)
    expect(askedOf(world, 'au')).toHaveLength(5)
  })
})

describe('a payment of which no site is known', () => {
  it('is put off like any read that fails, and holds up nobody', async () => {
    const world = await setUp()
    await doubt(world, 'US', { currency: 'USD', receivedAt: after(-MINUTE) })
    await doubt(world, 'AU')
    world.answer = received
    await readAll(world)
    expect(world.asked).toEqual(['AU'])
    expect((await subjectOf(world, 'US')).failures).toBe(1)
  })
})

describe('a person who asks', () => {
  it('joins the read that is under way, without a turn of their own', async () => {
    const world = await setUp({ perSecond: 2 })
    await doubt(world)
    await doubt(world, 'PAY2')
    const gate = Promise.withResolvers<PaymentReport>()
    world.answer = (id) => (id === 'PAY1' ? gate.promise : received(id))
    world.reader.wake()
    await world.time.pass(1)
    // No time passes from here on, so that nobody else gets a turn.
    const subject = await subjectOf(world)
    const asking = [world.reader.read(subject), world.reader.read(subject)]
    await setImmediate()
    gate.resolve(report('received'))
    const changed = { kind: 'read', outcome: 'changed' }
    expect(await Promise.all(asking)).toEqual([changed, changed])
    expect(world.asked).toEqual(['PAY1', 'PAY2'])
    expect(world.outcomes).toEqual(['changed', 'changed'])
  })

  it('goes before everything that is planned, and within the same budget', async () => {
    const world = await setUp({ perSecond: 2 })
    await backlog(world, 20)
    await doubt(world, 'MINE', { receivedAt: NOW })
    world.answer = received
    world.reader.wake()
    await world.time.pass(5 * SECOND)
    const before = world.asked.length
    await readNow(world, await subjectOf(world, 'MINE'))
    expect(world.asked.slice(before).slice(0, 2)).toContain('MINE')
    await world.time.pass(20 * SECOND)
    expect(world.asked).toHaveLength(21)
    const instants = world.asks.map(({ at }) => at)
    for (const [index, at] of instants.entries())
      expect(at - (instants[index - 2] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(SECOND)
  })

  it('is told for how long the service wants to be left alone, without asking it', async () => {
    const world = await setUp()
    await doubt(world)
    world.answer = throttled(30)
    await readAll(world)
    const result = await readNow(world, await subjectOf(world))
    expect(result).toMatchObject({ kind: 'failed', error: { detail: { kind: 'throttled', retryAfterSeconds: 30 } } })
    expect(world.asked).toHaveLength(1)
  })
})

describe('a process that is not the leader', () => {
  it('makes no planned read, and reads for a person all the same', async () => {
    const world = await setUp()
    world.leads = false
    await doubt(world, 'P1')
    await doubt(world, 'P2')
    await readAll(world)
    expect(world.asked).toEqual([])
    await readNow(world, await subjectOf(world, 'P2'))
    expect(world.asked).toEqual(['P2'])
    world.leads = true
    await world.time.passUntil(() => world.asked.length > 1, MINUTE)
    expect(world.asked).toEqual(['P2', 'P1'])
  })
})
