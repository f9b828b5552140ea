import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { WEBHOOK_SECRETS: SECRETS_IN_ROTATION.join(',') } })))
afterAll(() => network.close())

const SECRETS_IN_ROTATION = ['the-secret-that-comes-next', 'webhook-secret-of-the-tests']

type PaymentNode = { status: string; statusRaw: string; version: number; provisional: boolean; link: { id: string } }

async function paymentOf(id: string): Promise<PaymentNode | null> {
  const answer = await network.ask<{ payment: PaymentNode | null }>(
    'query P($id: ID!) { payment(id: $id) { status statusRaw version provisional link { id } amount { value } } }',
    { id },
  )
  return answer.data.payment
}

/** Pays a link, and waits until its stream has delivered the event `received`. */
async function paidLink() {
  const link = await createLink(network)
  const stream = await network.follow(LINK_UPDATES, { id: link.id })
  await stream.until((item) => item.kind === 'CAUGHT_UP')
  await pay(link.checkoutUrl)
  const events = await stream.until((item) => item.event?.toStatus === 'received')
  await network.sandbox.settle()
  await stream.end()
  return { link, paymentId: events.at(-1)?.payment?.id ?? '' }
}

describe('an authentic webhook that says something odd', () => {
  it('with an unknown status is kept, and shown as UNRECOGNISED with its raw text', async () => {
    const { link, paymentId } = await paidLink()
    const body = paymentBody({ uuid: paymentId, status: 'teleported' })
    // The read that follows would correct the status at once: it is delayed until the webhook's effect was checked.
    network.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links/*', answer: { delayMs: 500 }, times: 2 })
    const address = await addressOf(network, link)
    expect((await deliver(address, body)).status).toBe(200)
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'UNRECOGNISED',
      statusRaw: 'teleported',
      provisional: true,
    })
    await network.app.settle()
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'RECEIVED', provisional: false, version: 7 })
  })

  it('with money that cannot be read is kept, and the amount is never guessed', async () => {
    const uuid = randomUUID()
    const body = paymentBody({ uuid, amount: 'a lot', total: {}, currency: 17 })
    expect(await deliver(defaultAddress(network), body)).toMatchObject({ status: 200, body: 'ok' })
    expect(await deliveries(network, [uuid])).toMatchObject([{ disposition: 'APPLIED', statusRaw: 'pending' }])
    expect(await paymentOf(uuid)).toBeNull()
    const whole = paymentBody({ uuid, amount: '12.00' })
    expect((await deliver(defaultAddress(network), whole)).status).toBe(200)
    expect(await paymentOf(uuid)).toMatchObject({ status: 'PENDING', amount: { value: '12.00' } })
  })
})

describe('the address of a webhook', () => {
  it('may be the default one: a payment without a link is made, and one of a link is found', async () => {
    const uuid = randomUUID()
    expect((await deliver(defaultAddress(network), paymentBody({ uuid }))).status).toBe(200)
    expect(await paymentOf(uuid)).toMatchObject({ status: 'PENDING', version: 1, link: null })

    const { link, paymentId } = await paidLink()
    const refund = paymentBody({ uuid: paymentId, status: 'return_pending' })
    await network.sandbox.control.setStatus(link.id, 'return_pending', { silent: true })
    expect((await deliver(defaultAddress(network), refund)).status).toBe(200)
    await network.app.settle()
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'RETURN_PENDING', link: { id: link.id } })
  })
})
