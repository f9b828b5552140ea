import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { callbackAuthorization } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import {
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
} from '../support/webhooks.ts'

const SECOND = 'the-second-key-of-the-tests-0123456789abcdef'
const THIRD = 'the-third-key-of-the-tests-0123456789abcdefg'

let network: Network
afterEach(() => network.close())

/** Starts a network with a setting. The returned function replaces it with a restart, as in production. */
async function startRotating(setting: 'WEBHOOK_SECRETS' | 'SIGNING_KEYS', first: string) {
  const env: Record<string, string> = { [setting]: first }
  network = await startNetwork({ env })
  return async (...keys: string[]) => {
    env[setting] = keys.join(',')
    await network.restart()
  }
}

// promise(facts): Rotating a secret or key refuses nothing that was issued under a listed one.
describe('a change of the secret that webhooks are signed with', () => {
  it('takes what was signed with a listed one, in any order, and nothing else', async () => {
    const list = await startRotating('WEBHOOK_SECRETS', SECRETS.webhook)
    const { url, authorization } = await addressOf(network, await createLink(network))
    const taken = async () => {
      const codes = [SECRETS.webhook, SECOND, THIRD].map(async (secret) => {
        const body = paymentBody()
        const replies = [
          await send(url, { headers: honestHeaders(body, authorization, secret), body }),
          await send(defaultAddress(network), { headers: honestHeaders(body, undefined, secret), body }),
        ]
        return replies.map(({ status }) => status)
      })
      return (await Promise.all(codes)).flat()
    }
    expect(await taken()).toEqual([200, 200, 401, 401, 401, 401])
    await list(SECRETS.webhook, SECOND)
    expect(await taken()).toEqual([200, 200, 200, 200, 401, 401])
    await list(SECOND, SECRETS.webhook)
    expect(await taken()).toEqual([200, 200, 200, 200, 401, 401])
    await list(THIRD, SECOND)
    expect(await taken()).toEqual([401, 401, 200, 200, 200, 200])
    await list(THIRD)
    expect(await taken()).toEqual([401, 401, 401, 401, 200, 200])
  })

  it('recognises a body that comes again under the other secret', async () => {
    const list = await startRotating('WEBHOOK_SECRETS', SECRETS.webhook)
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    expect((await deliver(defaultAddress(network), body)).status).toBe(200)
    await list(SECOND)
    const headers = honestHeaders(body, undefined, SECOND)
    expect((await send(defaultAddress(network), { headers, body })).status).toBe(200)
    expect(await deliveries(network, [uuid])).toMatchObject([{ attempts: 2 }])
  })
})

describe('a change of the key that our own secrets are made from', () => {
  const authorizationUnder = (key: string, ref: string) =>
    callbackAuthorization(createKeyRing([new Secret(key)]), 'payment', ref)

  it('takes at a known address what was handed out under any listed key, and nothing else', async () => {
    const list = await startRotating('SIGNING_KEYS', SECRETS.signing)
    const { url, ref } = await addressOf(network, await createLink(network))
    const taken = () =>
      Promise.all(
        [SECRETS.signing, SECOND, THIRD].map(async (key) => {
          const body = paymentBody()
          return (await send(url, { headers: honestHeaders(body, authorizationUnder(key, ref)), body })).status
        }),
      )
    expect(await taken()).toEqual([200, 401, 401])
    await list(SECOND, SECRETS.signing)
    expect(await taken()).toEqual([200, 200, 401])
    const later = await addressOf(network, await createLink(network))
    await list(SECOND)
    expect(await taken()).toEqual([401, 200, 401])
    const body = paymentBody()
    const headers = honestHeaders(body, authorizationUnder(SECOND, later.ref))
    expect((await send(later.url, { headers, body })).status).toBe(200)
    await list(THIRD)
    expect(await taken()).toEqual([401, 401, 200])
  })

  it('recognises a body that was first kept under a key that is still listed', async () => {
    const list = await startRotating('SIGNING_KEYS', SECRETS.signing)
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const again = async () => {
      expect((await deliver(defaultAddress(network), body)).status).toBe(200)
      return (await deliveries(network, [uuid])).map(({ attempts }) => attempts)
    }
    expect(await again()).toEqual([1])
    await list(SECOND, SECRETS.signing)
    expect(await again()).toEqual([2])
    await list(SECRETS.signing, THIRD)
    expect(await again()).toEqual([3])
  })
})
