import crypto from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { sign } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { equalsOneOf } from '../../src/keys/key-ring.ts'
import { verify } from '../../src/webhooks/signature.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver, deliveries, paymentBody, send } from '../support/webhooks.ts'

const BODY = paymentBody({ status: 'received' })
const RIGHT = sign(BODY, SECRETS.webhook)

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const signed = (value: string | string[]) => ({ 'http-webhook-signature': value })
/** Headers in the place of a signature, by how an attacker or a careless library would make them. */
const FORGERIES: Readonly<Record<string, OutgoingHttpHeaders>> = {
  absent: {},
  empty: signed(''),
  'too short': signed(RIGHT.slice(1)),
  'too long': signed(`${RIGHT}0`),
  'another digit at the end': signed(RIGHT.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))),
  'a latin letter in it': signed(`\u00e9${RIGHT.slice(1)}`),
  'in base64': signed(Buffer.from(RIGHT, 'hex').toString('base64')),
  'repeated in one header': signed(`${RIGHT}, ${RIGHT}`),
  'in several headers': signed([RIGHT, RIGHT]),
  'beside a wrong one': signed(['0'.repeat(64), RIGHT]),
  'under another name': { 'x-hub-signature-256': RIGHT },
  'of another secret': signed(sign(BODY, 'another secret')),
  'of another body': signed(sign(`${BODY} `, SECRETS.webhook)),
}

// promise(webhooks): A payment webhook is accepted only if its exact bytes are signed with one of `WEBHOOK_SECRETS`;
// any other with an invalid signature is refused.
it('forged signatures are all refused in the same words, at every address, and leave no trace', async () => {
  const { url, authorization } = await addressOf(network, await createLink(network))
  for (const to of [
    { url, headers: { authorization } },
    { url: defaultAddress(network), headers: {} },
  ]) {
    const answers = new Set<string>()
    for (const forgery of Object.values(FORGERIES)) {
      const reply = await send(to.url, { headers: { ...to.headers, ...forgery }, body: BODY })
      expect(reply).toMatchObject({ status: 401, body: 'refused' })
      answers.add(JSON.stringify({ ...reply.headers, date: null }))
    }
    expect(answers.size).toBe(1)
  }
  expect(await deliveries(network)).toEqual([])
  expect(await deliver(defaultAddress(network), BODY)).toMatchObject({ status: 200, body: 'ok' })
  expect(await deliveries(network)).toMatchObject([{ disposition: 'APPLIED', attempts: 1 }])
})

// promise(webhooks): Signatures and secrets are compared in constant time.
it('whatever is secret is compared in constant time, with every secret that there is', () => {
  const compare = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  onTestFinished(() => {
    compare.mockRestore()
    syncBuiltinESMExports()
  })
  const secrets = ['one', SECRETS.webhook, 'other']
  for (const given of [RIGHT, `0${RIGHT.slice(1)}`, `${RIGHT.slice(0, -1)}0`, '0'.repeat(64)]) {
    verify(Buffer.from(BODY), given, secrets)
    expect(compare).toHaveBeenCalledTimes(secrets.length)
    equalsOneOf(given, secrets)
    expect(compare).toHaveBeenCalledTimes(2 * secrets.length)
    compare.mockClear()
  }
})
