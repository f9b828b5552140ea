import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sign } from '../../src/webhooks/signature.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import {
  addressOf,
  defaultAddress,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
  type WebhookAddress,
} from '../support/webhooks.ts'

const NEXT_SECRET = 'the-secret-that-comes-next'
const KIB = 1024

let network: Network
let address: WebhookAddress
beforeAll(async () => {
  network = await startNetwork({ env: { WEBHOOK_SECRETS: `${NEXT_SECRET},${SECRETS.webhook}` } })
  address = await addressOf(network, await createLink(network))
})
afterAll(() => network.close())

/** Every rejection has the same body, which discloses nothing to an attacker. */
const refused = (status: number) => ({ status, body: 'refused' })

/** Asserts that no rejected delivery was stored. */
async function expectNothingStored(uuid: string) {
  expect(await deliveries(network, [uuid])).toEqual([])
}

// promise(webhooks): A webhook to the URL of a command also needs the secret of that URL.
describe('the signature', () => {
  const uuid = randomUUID()
  const body = paymentBody({ uuid, status: 'received' })
  const right = sign(body, SECRETS.webhook)

  it.each<[string, string | string[] | undefined]>([
    ['absent', undefined],
    ['empty', ''],
    ['of another secret', sign(body, 'a-secret-of-somebody-else')],
    ['of another body', sign(`${body} `, SECRETS.webhook)],
    ['one digit short', right.slice(1)],
    ['one digit long', `${right}0`],
    ['not hexadecimal', right.replace(/.$/, 'g')],
    ['in base64', Buffer.from(right, 'hex').toString('base64')],
    ['repeated in one header', `${right}, ${right}`],
    ['repeated in two headers', [right, right]],
    ['repeated, the first one wrong', [sign(body, 'a-secret-of-somebody-else'), right]],
    ['under another scheme', `sha512=${right}`],
  ])('%s is refused with 401', async (_what, signature) => {
    const { authorization } = address
    const headers = {
      'content-type': 'application/json',
      authorization,
      ...(signature === undefined ? {} : { 'http-webhook-signature': signature }),
    }
    expect(await send(address.url, { headers, body })).toMatchObject(refused(401))
    await expectNothingStored(uuid)
  })

  it('does not fit when one bit of the body was changed', async () => {
    const bytes = Buffer.from(body)
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20)
    const headers = honestHeaders(body, address.authorization)
    expect(await send(address.url, { headers, body: bytes })).toMatchObject(refused(401))
    await expectNothingStored(uuid)
  })

  it.each([
    ['in lower case', (digits: string) => digits],
    ['in upper case', (digits: string) => digits.toUpperCase()],
    ['with its scheme', (digits: string) => `sha256=${digits}`],
  ])('%s is accepted under either live secret', async (_what, written) => {
    for (const secret of [NEXT_SECRET, SECRETS.webhook]) {
      const fresh = paymentBody()
      const headers = {
        ...honestHeaders(fresh, address.authorization),
        'http-webhook-signature': written(sign(fresh, secret)),
      }
      expect(await send(address.url, { headers, body: fresh })).toMatchObject({ status: 200, body: 'ok' })
    }
  })
})

describe('the Authorization', () => {
  it.each<[string, () => Promise<string | undefined>]>([
    ['absent', async () => undefined],
    ['wrong', async () => 'Bearer v1.00000000.AAAA'],
    ['that of another link', async () => (await addressOf(network, await createLink(network))).authorization],
  ])('%s is refused with 401, although the signature is right', async (_what, authorizationOf) => {
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const headers = honestHeaders(body, await authorizationOf())
    expect(await send(address.url, { headers, body })).toMatchObject(refused(401))
    await expectNothingStored(uuid)
  })
})

describe('the request', () => {
  const uuid = randomUUID()
  const body = paymentBody({ uuid })
  const honest = () => honestHeaders(body, address.authorization)

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('by %s is refused with 405', async (method) => {
    const reply = await send(address.url, { method, headers: honest(), ...(method === 'GET' ? {} : { body }) })
    expect(reply).toMatchObject(refused(405))
  })

  it('to an address that was never given out is refused with 404', async () => {
    const url = `${defaultAddress(network)}/${'A'.repeat(22)}`
    expect(await send(url, { headers: honest(), body })).toMatchObject(refused(404))
  })

  it('that is compressed is refused with 400 and kept, and is taken where only its header says so', async () => {
    const compressed = gzipSync(body)
    const headers = {
      ...honest(),
      'http-webhook-signature': sign(compressed, SECRETS.webhook),
      'content-encoding': 'gzip',
    }
    expect(await send(address.url, { headers, body: compressed })).toMatchObject(refused(400))
    const mislabelled = { ...honest(), 'content-encoding': 'identity, br' }
    expect(await send(address.url, { headers: mislabelled, body })).toMatchObject({ status: 200 })
  })

  it('of more than 64 KiB is refused with 413, told by its length or counted', async () => {
    const large = paymentBody({ uuid, padding: 'x'.repeat(64 * KIB) })
    const headers = honestHeaders(large, address.authorization)
    expect(await send(address.url, { headers, body: large })).toMatchObject(refused(413))
    const parts = [large.slice(0, 30 * KIB), large.slice(30 * KIB, 60 * KIB), large.slice(60 * KIB)]
    expect(await send(address.url, { headers, body: parts })).toMatchObject(refused(413))
  })

  it('of exactly 64 KiB is taken, told by its length or counted', async () => {
    const fill = (id: string) => {
      const empty = paymentBody({ uuid: id, padding: '' })
      return paymentBody({ uuid: id, padding: 'x'.repeat(64 * KIB - Buffer.byteLength(empty)) })
    }
    const [one, other] = [fill(randomUUID()), fill(randomUUID())]
    expect((await send(address.url, { headers: honestHeaders(one, address.authorization), body: one })).status).toBe(
      200,
    )
    const parts = [other.slice(0, 1000), other.slice(1000)]
    const headers = honestHeaders(other, address.authorization)
    expect((await send(address.url, { headers, body: parts })).status).toBe(200)
  })

  it('without a content type is taken', async () => {
    const { 'content-type': _type, ...headers } = honest()
    expect((await send(address.url, { headers, body })).status).toBe(200)
  })

  it('without a right signature is not even parsed: what is no JSON is refused like everything else', async () => {
    const headers = { ...honest(), 'http-webhook-signature': '0'.repeat(64) }
    const replies = [
      await send(address.url, { headers, body: '{"uuid":' }),
      await send(address.url, { headers, body }),
      await send(address.url, { headers, body: '' }),
    ]
    for (const reply of replies) expect(reply).toMatchObject(refused(401))
    const heads = replies.map(({ headers: { date: _date, ...rest } }) => rest)
    expect(heads[1]).toEqual(heads[0])
    expect(heads[2]).toEqual(heads[0])
  })
})
