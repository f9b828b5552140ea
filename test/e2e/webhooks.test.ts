import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES } from '../support/operations.ts'
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

describe('a webhook that comes again', () => {
  it('is answered 200, counted, and causes no event', async () => {
    const { link, paymentId } = await paidLink()
    const before = await paymentOf(paymentId)
    const result = await network.sandbox.control.deliver(link.id, { kind: 'duplicate', count: 2 })
    expect(result.deliveries.map(({ status }) => status)).toEqual([200, 200])
    const [last] = await deliveries(network, [paymentId])
    expect(last).toMatchObject({ statusRaw: 'received', disposition: 'APPLIED', attempts: 3 })
    expect(last?.event?.toStatus).toBe('received')
    expect(await paymentOf(paymentId)).toEqual(before)
  })

  it('after the money has come, with an earlier status, is STALE', async () => {
    const { link, paymentId } = await paidLink()
    const body = paymentBody({ uuid: paymentId, status: 'pending', amount: '125.50', name: 'Told differently' })
    expect((await deliver(await addressOf(network, link), body)).status).toBe(200)
    const [late] = await deliveries(network, [paymentId])
    expect(late).toMatchObject({ statusRaw: 'pending', disposition: 'STALE', attempts: 1, event: null })
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'RECEIVED', version: 5, provisional: false })
  })

  it('fifty times at once makes one payment and one event', async () => {
    const link = await createLink(network)
    const address = await addressOf(network, link)
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const replies = await Promise.all(Array.from({ length: 50 }, () => deliver(address, body)))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(await deliveries(network, [uuid])).toMatchObject([{ disposition: 'APPLIED', attempts: 50 }])
    const answer = await network.ask<{ paymentLink: { events: { nodes: unknown[] } } }>(
      'query E($id: ID!) { paymentLink(id: $id) { events(first: 100) { nodes { sequence kind toStatus } } } }',
      { id: link.id },
    )
    expect(answer.data.paymentLink.events.nodes).toEqual([
      { sequence: 1, kind: 'LINK_CREATED', toStatus: null },
      { sequence: 2, kind: 'PAYMENT_STATUS_CHANGED', toStatus: 'pending' },
    ])
  })
})

describe('an authentic webhook that says something odd', () => {
  it.each<[string, string | Buffer]>([
    ['no JSON', 'status=received'],
    ['empty', ''],
    ['a list', '[]'],
    [
      'no UTF-8',
      Buffer.concat([Buffer.from('{"uuid":"a","status":"received","name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['no uuid', paymentBody({ uuid: undefined, status: 'received' })],
    ['a uuid that is a path', paymentBody({ uuid: '../../v1/payment_gateways/access_token', status: 'received' })],
    ['no status', paymentBody({ uuid: 'payment-without-status', status: undefined })],
  ])('because it is %s, is refused with 400 and kept as QUARANTINED', async (_what, body) => {
    const before = (await deliveries(network)).filter(({ disposition }) => disposition === 'QUARANTINED').length
    const reply = await deliver(defaultAddress(network), body)
    expect(reply).toMatchObject({ status: 400, body: 'refused' })
    const after = (await deliveries(network)).filter(({ disposition }) => disposition === 'QUARANTINED')
    expect(after).toHaveLength(before + 1)
    expect(after[0]).toMatchObject({ attempts: 1, event: null })
  })

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

  it('with fields that nobody knows, and without most of those that are known, is applied', async () => {
    const uuid = randomUUID()
    const body = JSON.stringify({ uuid, status: 'received', currency: 'AUD', amount: 10.5, moon_phase: { full: true } })
    expect((await deliver(defaultAddress(network), body)).status).toBe(200)
    expect(await paymentOf(uuid)).toMatchObject({ status: 'RECEIVED', link: null, amount: { value: '10.50' } })
  })
})

describe('the address of a webhook', () => {
  it('binds it to its link: a body that names another link is QUARANTINED', async () => {
    const [one, other] = [await createLink(network), await createLink(network)]
    const uuid = randomUUID()
    const body = JSON.stringify({
      uuid: other.id,
      payment_link_url: other.checkoutUrl,
      transaction_info: { uuid, status: 'received', currency: 'AUD', total: 125.5 },
    })
    expect((await deliver(await addressOf(network, one), body)).status).toBe(200)
    expect(await deliveries(network, [uuid])).toMatchObject([{ disposition: 'QUARANTINED', event: null }])
    for (const { id } of [one, other])
      expect((await network.ask(LINK, { id })).data.paymentLink).toMatchObject({ state: 'OPEN', payment: null })
  })

  it('binds a payment to the link it came through: at the address of another link it is QUARANTINED', async () => {
    const { link, paymentId } = await paidLink()
    const other = await createLink(network)
    const body = paymentBody({ uuid: paymentId, status: 'return_received' })
    expect((await deliver(await addressOf(network, other), body)).status).toBe(200)
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'QUARANTINED' })
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'RECEIVED', link: { id: link.id } })
  })

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
