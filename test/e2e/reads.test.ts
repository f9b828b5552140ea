import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { act } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf, REFRESH, told } from '../support/payments.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

let network: Network
let proxy: UpstreamProxy
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  const site = { id: 'oceania', appId: 'app-oceania', secretKey: 'secret-of-oceania', currencies: ['AUD', 'NZD'] }
  network = await startNetwork({ upstreamUrl: proxy.url, sandbox: { sites: [site] } })
  proxy.target = network.sandbox.origin
})
afterEach(() => network.sandbox.control.clearFaults())
afterAll(async () => {
  await network.close()
  await proxy.close()
})

const READ = { method: 'GET', path: '/v3/payin_links/*' }

/** Creates a link whose payment has failed; all planned reads are done. */
async function failedLink() {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'pending')
  await network.sandbox.control.setStatus(link.id, 'failed')
  await network.app.settle()
  const { payment } = await historyOf(network, link.id)
  return { link, paymentId: payment?.id ?? '' }
}

describe('an answer to a read', () => {
  it.each<[string, (paymentId: string) => Record<string, unknown>]>([
    ['about another payment', () => ({ uuid: randomUUID(), status: 'received', currency: 'AUD', amount: '125.5' })],
    ['in another currency', (uuid) => ({ uuid, status: 'received', currency: 'NZD', amount: '125.5' })],
    ['in a currency of another site', (uuid) => ({ uuid, status: 'received', currency: 'USD', amount: '125.5' })],
    ['without a status', (uuid) => ({ uuid, currency: 'AUD', amount: '125.5' })],
  ])('%s changes nothing, and the payment stays in doubt', async (_what, answer) => {
    const { link, paymentId } = await failedLink()
    network.sandbox.control.addFault({ ...READ, times: 5, answer: { status: 200, body: answer(paymentId) } })
    await network.sandbox.control.setStatus(link.id, 'pending')
    await network.app.settle()
    const { events, payment } = await historyOf(network, link.id)
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK'])
    expect(payment).toMatchObject({ id: paymentId, status: 'FAILED', version: 3, provisional: true })

    network.sandbox.control.clearFaults()
    expect((await network.ask(REFRESH, { id: paymentId })).data.refreshPayment).toMatchObject({
      changed: true,
      payment: { status: 'PENDING', version: 4, provisional: false },
    })
  })

  it('that was overtaken by a webhook does not undo it', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    const read = proxy.holdNextRead()
    await network.sandbox.control.setStatus(link.id, 'failed')
    await read.answered
    await network.sandbox.control.setStatus(link.id, 'received')
    expect((await historyOf(network, link.id)).payment).toMatchObject({ status: 'RECEIVED', version: 4 })
    read.release()
    await network.app.settle()
    const { events, payment } = await historyOf(network, link.id)
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK', 'received by WEBHOOK'])
    expect(payment).toMatchObject({ status: 'RECEIVED', version: 4, provisional: false })
  })

  it('that was overtaken by a webhook does not hide what a later read shows', async () => {
    const { link } = await failedLink()
    const read = proxy.holdNextRead()
    await network.sandbox.control.deliver(link.id, { kind: 'late', status: 'pending' })
    await read.answered
    await network.sandbox.control.setStatus(link.id, 'pending')
    read.release()
    await network.app.settle()
    const { events, payment } = await historyOf(network, link.id)
    expect(events.map(told)).toEqual(['pending by WEBHOOK', 'failed by WEBHOOK', 'pending by READ'])
    expect(payment).toMatchObject({ status: 'PENDING', provisional: false })
  })
})

describe('a link that nobody has paid through', () => {
  it('is EXPIRED when the customer lets its time run out, and PAID when the money comes after all', async () => {
    const link = await createLink(network)
    await act(link.checkoutUrl, 'expire')
    await network.sandbox.settle()
    await network.app.settle()
    expect(await historyOf(network, link.id)).toMatchObject({ state: 'EXPIRED' })
    await network.sandbox.control.setStatus(link.id, 'received')
    await network.app.settle()
    const { state, payment, events } = await historyOf(network, link.id)
    expect(state).toBe('PAID')
    expect(payment).toMatchObject({ status: 'RECEIVED', provisional: false, version: events.at(-1)?.sequence })
  })

  it('is read when its owner asks, although no webhook tells', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'expired', { silent: true })
    expect((await network.ask(REFRESH, { id: link.id })).data.refreshPayment).toMatchObject({
      changed: true,
      payment: null,
      link: { state: 'EXPIRED' },
    })
    expect((await historyOf(network, link.id)).events.map(told)).toEqual(['LINK_EXPIRED by READ'])
  })
})
