import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callbackAuthorization, type CallbackKind } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { callbackAddressOf, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import {
  addressFor,
  addressOf,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
  type WebhookAddress,
} from '../support/webhooks.ts'

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: { ...NO_ANSWER, paceMs: 60_000 } })
})
afterAll(() => network.close())

/** Returns the webhook URLs of an agreement and of a payout of this network. */
async function addressesOfOtherThings(): Promise<readonly [agreement: WebhookAddress, payout: WebhookAddress]> {
  const agreement = await callbackAddressOf(network, (await createAgreement(network)).id)
  const { id } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
  await network.sandbox.control.setPayoutStatus(id, 'processing')
  const told = network.sandbox.control.webhooks().findLast(({ url }) => url.includes('/webhooks/payouts/'))
  return [agreement, addressFor(told?.url ?? '', 'payout')]
}

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
