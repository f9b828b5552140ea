import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES } from '../support/operations.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

describe('a payment link, from creation to received', () => {
  it('is followed live, in order, by the official client, and ends paid', async () => {
    const link = await createLink(network, { reference: 'order-1815' })
    expect(link).toMatchObject({ reference: 'order-1815', state: 'OPEN', payment: null, site: 'aud' })

    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT', previousCursor: null, link: { state: 'OPEN' } })
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })

    await pay(link.checkoutUrl)
    const events = await stream.until((item) => item.event?.toStatus === 'received')
    expect(events.map((item) => item.event?.toStatus)).toEqual(['pending', 'authorised', 'waiting', 'received'])
    expect(events.map((item) => item.event?.fromStatus)).toEqual([null, 'pending', 'authorised', 'waiting'])
    expect(events.map((item) => item.event?.sequence)).toEqual([2, 3, 4, 5])
    expect(events.map((item) => item.payment?.status)).toEqual(['PENDING', 'AUTHORISED', 'WAITING', 'RECEIVED'])
    expect(events.at(-1)).toMatchObject({ link: { state: 'PAID' }, payment: { phase: 'SUCCEEDED', terminal: true } })
    const all = stream.items
    expect(all.slice(1).map((item) => item.previousCursor)).toEqual(all.slice(0, -1).map((item) => item.cursor))

    const after = await network.ask(LINK, { id: link.id })
    expect(after.data.paymentLink).toMatchObject({
      state: 'PAID',
      payment: {
        status: 'RECEIVED',
        statusRaw: 'received',
        version: 5,
        provisional: false,
        paid: { value: '125.50', currency: 'AUD' },
        amount: { value: '125.50', currency: 'AUD', exponent: 2 },
        method: { code: 'au_card_aud' },
      },
    })
    await stream.end()
  })
})
