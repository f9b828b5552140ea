import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES } from '../support/operations.ts'
import { addressOf, deliver, paymentBody, send } from '../support/webhooks.ts'

let network: Network
afterEach(() => network.close())

/** Returns every byte of the files in the app's folder: the database and its write-ahead log. */
function storedBytes(): string {
  return readdirSync(network.folder)
    .map((file) => readFileSync(join(network.folder, file)).toString('latin1'))
    .join('')
}

// promise(data): Credentials and payers are removed from a webhook before it is stored; callback secrets are derived,
// not stored.
describe('what webhooks carry', () => {
  it('leaves no token, no Authorization and no payer in the log, and neither of the former in the database', async () => {
    network = await startNetwork()
    const customer = { email: 'canary.payer@example.test', firstName: 'Canaria', lastName: 'Canarsson' }
    const link = await createLink(network, { customer })
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until((item) => item.kind === 'CAUGHT_UP')
    await pay(link.checkoutUrl)
    await stream.until((item) => item.event?.toStatus === 'received')
    await stream.end()

    const address = await addressOf(network, link)
    const canaries = { id: 'tok_canary_of_the_body', type: 'card' }
    const echoed = { endpoint_url: address.url, authorization_header: address.authorization }
    const odd = paymentBody({ status: 'teleported', token: canaries, webhook_notification: echoed, ...customer })
    expect((await deliver(address, odd)).status).toBe(200)
    expect((await deliver(address, JSON.stringify({ token: canaries, ...customer }))).status).toBe(400)
    expect((await deliver(address, `tok_canary_of_no_json ${address.authorization}`)).status).toBe(400)
    const forged = { 'content-type': 'application/json', authorization: 'Bearer canary-of-a-forger' }
    expect((await send(address.url, { headers: forged, body: odd })).status).toBe(401)
    await network.app.settle()

    const tokens = network.sandbox.control.webhooks().flatMap(({ body }) => body.match(/tok_\w+/g) ?? [])
    expect(tokens.length).toBeGreaterThan(0)
    const secrets = [...tokens, 'tok_canary', address.authorization, address.authorization.split('.')[2] ?? '']
    const log = network.log()
    const stored = storedBytes()
    expect(log.length).toBeGreaterThan(1000)
    expect(stored).toContain(link.id)
    for (const secret of [...secrets, 'canary-of-a-forger']) {
      expect(log).not.toContain(secret)
      expect(stored).not.toContain(secret)
    }
    for (const payer of ['canary.payer', 'Canaria', 'Canarsson', 'Ada Payer']) expect(log).not.toContain(payer)
  })
})

describe('the nested form of the payload', () => {
  it('leads the same way to received, without leaking what it carries', async () => {
    network = await startNetwork({ sandbox: { webhookForm: 'nested' } })
    const link = await createLink(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until((item) => item.kind === 'CAUGHT_UP')
    await pay(link.checkoutUrl)
    const events = await stream.until((item) => item.event?.toStatus === 'received')
    await stream.end()
    expect(events.map((item) => item.event?.toStatus)).toEqual(['pending', 'authorised', 'waiting', 'received'])
    expect(events.map((item) => item.event?.sequence)).toEqual([2, 3, 4, 5])
    expect(JSON.parse(network.sandbox.control.webhooks()[0]?.body ?? '')).toHaveProperty('transaction_info.status')
    const answer = await network.ask<{ paymentLink: { payment: { id: string } } }>(LINK, { id: link.id })
    expect(answer.data.paymentLink).toMatchObject({
      state: 'PAID',
      payment: { status: 'RECEIVED', version: 5, method: { code: 'au_card_aud' }, amount: { currency: 'AUD' } },
    })
    expect(answer.data.paymentLink.payment.id).not.toBe(link.id)
    expect(network.log()).not.toContain('ada@example.test')
  })
})
