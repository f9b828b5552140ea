import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { act, pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, type CreatedLink } from '../support/operations.ts'
import { historyOf, told } from '../support/payments.ts'
import { deliveries } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const READ = { method: 'GET', path: '/v3/payin_links/*' }

/** Returns the link and its log once all reads are done; the payment is not provisional and has the version of its last event. */
async function settled(link: CreatedLink) {
  await network.sandbox.settle()
  await network.app.settle()
  const history = await historyOf(network, link.id)
  expect(history.payment).toMatchObject({ provisional: false, version: history.events.at(-1)?.sequence })
  return history
}

/** Sets one status after another in the payments API; each sends its webhook. */
async function tell(link: CreatedLink, ...statuses: Parameters<Network['sandbox']['control']['setStatus']>[1][]) {
  for (const status of statuses) await network.sandbox.control.setStatus(link.id, status)
}

describe('a webhook that leads back', () => {
  it('puts the payment in doubt, and the read that shows otherwise confirms it', async () => {
    const link = await createLink(network)
    await tell(link, 'pending', 'failed')
    await settled(link)
    network.sandbox.control.addFault({ ...READ, answer: { delayMs: 300 } })
    await network.sandbox.control.deliver(link.id, { kind: 'late', status: 'authorised' })
    expect((await historyOf(network, link.id)).payment).toMatchObject({
      status: 'FAILED',
      version: 3,
      provisional: true,
    })
    const { events, payment } = await settled(link)
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK', 'PAYMENT_CONFIRMED by READ'])
    expect(payment).toMatchObject({ status: 'FAILED', version: 4 })
    const [late] = await deliveries(network, [payment?.id ?? ''])
    expect(late).toMatchObject({ statusRaw: 'authorised', disposition: 'DOUBTFUL', event: null })
  })

  it('is believed when the read shows the same: a failed payment that was begun again', async () => {
    const link = await createLink(network)
    await tell(link, 'pending', 'failed')
    await settled(link)
    network.sandbox.control.addFault({ ...READ, answer: { delayMs: 300 } })
    await tell(link, 'pending')
    expect((await historyOf(network, link.id)).payment).toMatchObject({ status: 'FAILED', provisional: true })
    const { events, payment } = await settled(link)
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK', 'pending by READ'])
    expect(payment).toMatchObject({ status: 'PENDING', version: 4 })
  })

  it('from in_dispute to received is believed when the read shows the same', async () => {
    const link = await createLink(network)
    await tell(link, 'received', 'in_dispute')
    await settled(link)
    await tell(link, 'received')
    const { events } = await settled(link)
    expect(events.map(told)).toEqual(['received by WEBHOOK', 'in_dispute by WEBHOOK', 'received by READ'])
  })
})

describe('a payment that is tried again', () => {
  it('on the hosted page after a decline ends received, with every change told once', async () => {
    const link = await createLink(network)
    await act(link.checkoutUrl, 'decline')
    await settled(link)
    await pay(link.checkoutUrl)
    const { state, events } = await settled(link)
    expect(state).toBe('PAID')
    expect(events.slice(0, 2).map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK'])
    expect(events.at(-1)).toMatchObject({ toStatus: 'received' })
    expect(events.map(({ fromStatus }) => fromStatus)).toEqual([null, ...events.slice(0, -1).map((e) => e.toStatus)])
    expect(events.every(({ fromStatus, toStatus }) => fromStatus !== toStatus)).toBe(true)
  })

  it('by a bank transfer that comes after the session has expired is received at once', async () => {
    const link = await createLink(network)
    await tell(link, 'pending', 'expired')
    expect(await settled(link)).toMatchObject({ state: 'EXPIRED', payment: { status: 'EXPIRED' } })
    await tell(link, 'received')
    const { state, events } = await settled(link)
    expect(state).toBe('PAID')
    expect(events.map(told)).toEqual([
      'pending by WEBHOOK',
      'expired by WEBHOOK',
      'received by WEBHOOK',
      // The shop has given the order up, perhaps.
      'DUPLICATE_PAYMENT_FOUND by WEBHOOK',
    ])
  })

  it('and whose webhooks come swapped ends where the payments API is', async () => {
    const link = await createLink(network)
    await tell(link, 'pending', 'authorised')
    await network.sandbox.control.deliver(link.id, { kind: 'reordered' })
    await tell(link, 'waiting', 'received')
    const { events, payment } = await settled(link)
    expect(payment).toMatchObject({ status: 'RECEIVED' })
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'authorised by WEBHOOK', 'received by WEBHOOK'])
  })
})

describe('refunds', () => {
  it('in two parts give the total that the payments API tells, and two events', async () => {
    const { setStatus } = network.sandbox.control
    const link = await createLink(network)
    await tell(link, 'received')
    await setStatus(link.id, 'partially_refunded', { refundAmount: '25.25' })
    expect((await settled(link)).payment).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunded: { value: '25.25' } })
    await setStatus(link.id, 'partially_refunded', { refundAmount: '50.5' })
    const { events, payment } = await settled(link)
    expect(events.map(told)).toEqual([
      'received by WEBHOOK',
      'partially_refunded by WEBHOOK',
      'PAYMENT_DETAILS_CHANGED by READ',
    ])
    expect(payment).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunded: { value: '50.50' } })
  })

  it('told twice in the very same bytes are settled by a read', async () => {
    const { setStatus, deliver } = network.sandbox.control
    const link = await createLink(network)
    await tell(link, 'received')
    await setStatus(link.id, 'partially_refunded', { refundAmount: '25.25' })
    await settled(link)
    await setStatus(link.id, 'partially_refunded', { refundAmount: '50.5', silent: true })
    await deliver(link.id, { kind: 'duplicate' })
    const { events, payment } = await settled(link)
    expect(events.map(told).slice(2)).toEqual(['PAYMENT_DETAILS_CHANGED by READ'])
    expect(payment?.refunded).toEqual({ value: '50.50' })
  })
})
