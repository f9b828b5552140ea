import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, type CreatedLink } from '../support/operations.ts'
import {
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  paymentBody,
  type WebhookAddress,
} from '../support/webhooks.ts'

let network: Network
let link: CreatedLink
let address: WebhookAddress
beforeAll(async () => {
  network = await startNetwork()
  link = await createLink(network)
  address = await addressOf(network, link)
})
afterAll(() => network.close())

describe('an authentic body without a usable uuid', () => {
  const calls = () => network.sandbox.control.calls().map(({ method, path }) => `${method} ${path}`)

  it.each(
    [
      '../../v1/payment_gateways/access_token',
      '..%2f..%2fv1%2fpayment_gateways%2faccess_token',
      '..\\..\\v1\\payment_gateways',
      '/v1/payment_gateways/access_token',
      'http://127.0.0.1/v1',
      '.',
      '..',
      '',
      ' ',
      'a b',
      'a/b',
      'a?b=c',
      'a#b',
      'a%00b',
      'a\u0000b',
      'a\r\nhost: evil',
      '１２３',
      'é',
      '\ud800',
      "' OR 1=1 --",
      '${7*7}',
      'x'.repeat(65),
      'x'.repeat(10_240),
      1,
      1.5,
      null,
      true,
      [],
      {},
      ['PAY1'],
      { toString: 'PAY1' },
    ].map((uuid): [string, unknown] => [JSON.stringify(uuid).slice(0, 60), uuid]),
  )('(%s) is quarantined at either address, and has nothing read but the link of the address', async (_what, uuid) => {
    for (const to of [defaultAddress(network), address]) {
      const before = calls().length
      const body = paymentBody({ uuid, status: 'failed', external_id: randomUUID() })
      expect(await deliver(to, body)).toMatchObject({ status: 400, body: 'refused' })
      const [last] = await deliveries(network)
      expect(last).toMatchObject({ subjectId: null, disposition: 'QUARANTINED', attempts: 1, event: null })
      await network.app.settle()
      expect(calls().slice(before)).toEqual(to === address ? [`GET /api/v3/payin_links/${link.id}`] : [])
    }
    const { data, errors } = await network.ask<{ paymentLink: object }>(LINK, { id: link.id })
    expect([data.paymentLink, errors]).toMatchObject([{ state: 'OPEN', payment: null }, undefined])
  })
})
