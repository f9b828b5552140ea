import { describe, expect, it } from 'vitest'
import { delivery, report } from '../contract/builders.ts'
import { openWatchedStore } from './watched-store.ts'

describe('a full disk', () => {
  it('refuses what does not fit, keeps what was acknowledged, and works again once there is room', async () => {
    const { store, writer, destroy } = await openWatchedStore()
    const acknowledged = new Set<string>()
    const receive = async (paymentId: string): Promise<unknown> => {
      const large = report('pending', { paymentId, details: { instructions: { text: 'x'.repeat(4000) } } })
      try {
        await store.inbox.receive(delivery(large))
        acknowledged.add(paymentId)
        return null
      } catch (error) {
        return error
      }
    }
    const receiveMany = (name: string) => Promise.all(Array.from({ length: 60 }, (_, n) => receive(`${name}-${n}`)))

    await receive('first')
    writer.exec(`PRAGMA max_page_count = ${Number(writer.pragma('page_count')) + 40}`)
    const refusals = [...(await receiveMany('full')), await receive('last')].filter((error) => error !== null)
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals) expect(refusal).toMatchObject({ name: 'StoreFailure', reason: 'FULL' })
    await store.ping()

    writer.exec('PRAGMA max_page_count = 1000000')
    expect((await receiveMany('roomy')).every((error) => error === null)).toBe(true)
    const stored = (await store.log.read(0, 1000)).events.map(({ payment }) => payment?.id)
    expect(new Set(stored)).toEqual(acknowledged)
    expect(writer.pragma('integrity_check')).toBe('ok')
    await destroy()
  })
})
