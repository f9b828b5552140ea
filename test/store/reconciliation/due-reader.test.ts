import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { nextDue } from '../../support/due-reads.ts'
import { after, delivery, events, MINUTE, NOW, paymentOf, pollAfter, present, report } from '../contract/builders.ts'
import { doubt, readAll, readNow, SECOND, setUp, subjectOf } from './reader-fixture.ts'

describe('a read that is due', () => {
  it('is made, applied as an event of our own, and then no more', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    fixture.answer = async () => report('pending')
    await readAll(fixture)
    expect(await paymentOf(fixture.store)).toMatchObject({ status: 'pending', provisional: false })
    expect((await events(fixture.store)).at(-1)).toMatchObject({
      source: 'READ',
      fromStatus: 'failed',
      toStatus: 'pending',
    })
    await readAll(fixture)
    expect(fixture.asked).toEqual(['PAY1'])
    expect(await nextDue(fixture.store)).toSatisfy(pollAfter(NOW))
  })

  it('that confirms the state leaves it as it is', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    await readAll(fixture)
    expect((await events(fixture.store)).map(({ source }) => source)).toEqual(['WEBHOOK'])
    expect(await nextDue(fixture.store)).toBeNull()
  })

  it('is made longest due first, each subject once, at most two of a site at a time', async () => {
    const fixture = await setUp()
    const ids = ['P3', 'P1', 'P2']
    for (const [index, id] of ids.entries()) await doubt(fixture, id, { receivedAt: after(index * SECOND - MINUTE) })
    let underWay = 0
    fixture.answer = async (paymentId) => {
      expect(++underWay).toBeLessThanOrEqual(2)
      await setImmediate()
      underWay -= 1
      return report('failed', { paymentId })
    }
    await readAll(fixture)
    expect(fixture.asked).toEqual(ids)
  })

  it('that falls due while another is made is made too', async () => {
    const fixture = await setUp()
    await doubt(fixture, 'P1')
    fixture.answer = async (paymentId) => {
      if (paymentId === 'P1') {
        await doubt(fixture, 'P2')
        fixture.reader.wake()
      }
      return report('failed', { paymentId })
    }
    await readAll(fixture)
    expect(fixture.asked).toEqual(['P1', 'P2'])
  })

  it('of more subjects than fit into a batch leaves out none', async () => {
    const fixture = await setUp()
    const ids = Array.from({ length: 45 }, (_, index) => `P${index}`)
    for (const [index, id] of ids.entries()) await doubt(fixture, id, { receivedAt: after(index - MINUTE) })
    fixture.answer = async (paymentId) => report('failed', { paymentId })
    await readAll(fixture)
    expect(fixture.asked).toEqual(ids)
  })
})

describe('a read that fails', () => {
  it('is put off twice as long each time, until one succeeds', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    fixture.answer = () => Promise.reject(new Error('The payments API is away.'))
    const waits: number[] = []
    for (let failure = 1; failure <= 13; failure++) {
      await readAll(fixture)
      const wait = present(await nextDue(fixture.store)).getTime() - fixture.time.clock().getTime()
      waits.push(wait / SECOND)
      await fixture.time.skip(wait - 1)
      expect(fixture.asked).toHaveLength(failure)
      if (failure === 13) fixture.answer = async () => report('received')
      await fixture.time.pass(1)
    }
    await readAll(fixture)
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720, 61_440])
    expect((await paymentOf(fixture.store)).status).toBe('received')
    expect((await subjectOf(fixture)).failures).toBe(0)
  })

  it('does not hold up the others', async () => {
    const fixture = await setUp()
    await doubt(fixture, 'P1')
    await doubt(fixture, 'P2')
    fixture.answer = async (paymentId) => {
      if (paymentId === 'P1') throw new Error('The payments API is away.')
      return report('received', { paymentId })
    }
    await readAll(fixture)
    expect((await paymentOf(fixture.store, 'P2')).status).toBe('received')
    expect((await subjectOf(fixture, 'P1')).failures).toBe(1)
  })

  it('because it tells of another payment changes nothing of either', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    await doubt(fixture, 'OTHER')
    fixture.answer = async (paymentId) => report('received', { paymentId: paymentId === 'PAY1' ? 'OTHER' : 'PAY1' })
    const result = await readNow(fixture, await subjectOf(fixture))
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'unknown.mismatch' } })
    await readAll(fixture)
    for (const id of ['PAY1', 'OTHER']) {
      expect((await paymentOf(fixture.store, id)).status).toBe('failed')
      expect((await subjectOf(fixture, id)).failures).toBe(1)
    }
  })
})

describe('a read during which a webhook comes', () => {
  it('is made again, so that the older answer never wins', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    fixture.answer = async () => {
      if (fixture.asked.length > 1) return report('received')
      await fixture.store.inbox.receive(delivery(report('received')))
      return report('failed')
    }
    expect(await readNow(fixture, await subjectOf(fixture))).toEqual({ kind: 'read', outcome: 'confirmed' })
    expect(fixture.asked).toHaveLength(2)
    expect((await events(fixture.store)).map(({ toStatus }) => toStatus)).toEqual(['failed', 'received'])
  })

  it('each time is left due after three attempts', async () => {
    const fixture = await setUp()
    await doubt(fixture)
    fixture.answer = async () => {
      await fixture.store.inbox.receive(delivery(report('failed'), { bytes: `${fixture.asked.length}` }))
      return report('pending')
    }
    expect(await readNow(fixture, await subjectOf(fixture))).toEqual({ kind: 'read', outcome: 'superseded' })
    expect(fixture.asked).toHaveLength(3)
    expect(await paymentOf(fixture.store)).toMatchObject({ status: 'failed' })
    expect(await nextDue(fixture.store)).toEqual(NOW)
  })
})
