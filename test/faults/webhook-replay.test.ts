import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callbackAuthorization, type CallbackKind } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { callbackAddressOf, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import {
  addressFor,
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
  type WebhookAddress,
} from '../support/webhooks.ts'

const YEAR_MS = 365 * 24 * 3_600_000

let network: Network
let ahead = 0
beforeAll(async () => {
  network = await startNetwork({ clock: () => new Date(Date.now() + ahead), sandbox: { ...NO_ANSWER, paceMs: 60_000 } })
})
afterAll(() => network.close())

/** Creates a link and sets its payment's status. Returns it with the last webhook about it, as an attacker could have captured it. */
async function captured(status: 'received' | 'pending' = 'received') {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, status)
  await network.app.settle()
  const history = await historyOf(network, link.id)
  const paymentId = history.payment?.id ?? ''
  const sent = network.sandbox.control.webhooks().findLast(({ body }) => body.includes(paymentId))
  return { link, address: await addressOf(network, link), body: sent?.body ?? '', paymentId, history }
}

/** Returns the webhook URLs of an agreement and of a payout of this network. */
async function addressesOfOtherThings(): Promise<readonly [agreement: WebhookAddress, payout: WebhookAddress]> {
  const agreement = await callbackAddressOf(network, (await createAgreement(network)).id)
  const { id } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
  await network.sandbox.control.setPayoutStatus(id, 'processing')
  const told = network.sandbox.control.webhooks().findLast(({ url }) => url.includes('/webhooks/payouts/'))
  return [agreement, addressFor(told?.url ?? '', 'payout')]
}

it('a copy is counted and does nothing, also a year later, and at the default address', async () => {
  const { link, address, body, paymentId, history } = await captured()
  for (ahead of [0, YEAR_MS]) {
    expect((await deliver(address, body)).status).toBe(200)
    await network.app.settle()
  }
  ahead = 0
  expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'APPLIED', attempts: 3 })
  expect((await deliver(defaultAddress(network), body)).status).toBe(200)
  await network.app.settle()
  expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'NO_CHANGE', event: null })
  expect(await historyOf(network, link.id)).toEqual(history)
})

it('a copy at the address of another link is set aside, and does not make the original a repeat', async () => {
  const { link, address, body, paymentId } = await captured('pending')
  const original = body.replace('"status":"pending"', '"status":"received"')
  await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
  const other = await createLink(network)
  expect((await deliver(await addressOf(network, other), original)).status).toBe(200)
  expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'QUARANTINED', event: null })
  expect(await historyOf(network, other.id)).toMatchObject({ state: 'OPEN', payment: null, events: [] })
  expect((await deliver(address, original)).status).toBe(200)
  expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'APPLIED', attempts: 1 })
  expect((await historyOf(network, link.id)).state).toBe('PAID')
})

it('a copy at the address of an agreement or of a payout changes neither the payment nor them', async () => {
  const { link, body, history } = await captured()
  const [agreement, payout] = await addressesOfOtherThings()
  expect(await deliver(agreement, body)).toMatchObject({ status: 400, body: 'refused' })
  expect((await deliveries(network))[0]).toMatchObject({ disposition: 'QUARANTINED', subjectId: null })
  expect((await deliver(payout, body)).status).toBe(200)
  expect((await deliveries(network))[0]).toMatchObject({ disposition: 'QUARANTINED', event: null })
  await network.app.settle()
  expect(await historyOf(network, link.id)).toEqual(history)
})

it('the Authorization of an address is the whole of it, once, at that address, or nothing is applied', async () => {
  const keys = createKeyRing([new Secret(SECRETS.signing)])
  const link = await addressOf(network, await createLink(network))
  const sibling = await addressOf(network, await createLink(network))
  const [agreement, payout] = await addressesOfOtherThings()
  const kept = (await deliveries(network)).length
  const body = paymentBody()
  for (const [kind, { url, ref, authorization }] of [
    ['payment', link],
    ['agreement', agreement],
    ['payout', payout],
  ] as const) {
    const others = (['payment', 'agreement', 'payout', 'gateway-payment'] as const).filter((other) => other !== kind)
    const of = (other: CallbackKind, name: string) => callbackAuthorization(keys, other, name)
    const wrong = [
      '',
      authorization.slice(0, -1),
      `${authorization}A`,
      authorization.toLowerCase(),
      authorization.replace('v1', 'v2'),
      `${authorization}, ${authorization}`,
      [authorization, authorization],
      ['Bearer wrong', authorization],
      ...others.map((other) => of(other, ref)),
      of(kind, sibling.ref),
      callbackAuthorization(createKeyRing([new Secret('x'.repeat(40))]), kind, ref),
      `Bearer ${SECRETS.webhook}`,
      `Bearer ${await network.token()}`,
    ]
    for (const given of wrong) {
      // The type allows one value; several are sent as they are.
      const headers = { ...honestHeaders(body), authorization: given } as OutgoingHttpHeaders
      const { status, body: text } = await send(url, { headers, body })
      expect({ given, status, text }).toEqual({ given, status: 401, text: 'refused' })
    }
  }
  expect(await deliveries(network)).toHaveLength(kept)
})
