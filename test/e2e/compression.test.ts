import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

/** An answer of many methods, the same for everyone. */
const METHODS = '{ payinMethods { nodes { code name currency kind kindRaw usableFor minAmount { value } } } }'
const CURRENCIES = '{ paymentCurrencies { code } }'
const LINKS = '{ paymentLinks { nodes { id reference checkoutUrl description createdAt expiresAt statusToken } } }'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

type Headers = Readonly<Record<string, string>>
type Raw = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }

/** Sends a request and returns the body as it is on the wire: `fetch` would expand it. */
function raw(url: string, { headers, body }: { headers: Headers; body?: string }): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject).end(body)
  })
}

function get(query: string, headers: Headers = {}): Promise<Raw> {
  const search = new URLSearchParams({ query }).toString()
  return raw(`${network.app.url}/graphql?${search}`, { headers: { 'apollo-require-preflight': 'true', ...headers } })
}

function post(query: string, headers: Headers = {}, { app } = network): Promise<Raw> {
  const all = { 'content-type': 'application/json', ...headers }
  return raw(`${app.url}/graphql`, { headers: all, body: JSON.stringify({ query }) })
}

const expand: Readonly<Record<string, (body: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync }
const codingOf = ({ headers }: Raw) => headers['content-encoding'] ?? null

// promise(http): Only responses that are the same for all callers are compressed, against BREACH
// (`RESPONSE_COMPRESSION`).
describe('a large answer that is the same for everyone', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
    ['GZIP', 'gzip'],
  ])('comes compressed to a client that takes %s: with %s', async (accepted, coding) => {
    const plain = await post(METHODS)
    expect(codingOf(plain)).toBeNull()
    // The first answer is computed, the second is stored, and the others are returned from the cache.
    for (let time = 0; time < 4; time += 1) {
      const packed = await post(METHODS, { 'accept-encoding': accepted })
      expect([packed.status, codingOf(packed)]).toEqual([200, coding])
      expect(expand[coding]?.(packed.body).equals(plain.body)).toBe(true)
      expect(Number(packed.headers['content-length'])).toBe(packed.body.length)
      expect(packed.body.length).toBeLessThan(plain.body.length / 3)
      expect(packed.headers).toMatchObject({
        vary: 'Accept, Accept-Encoding',
        'cache-control': 'public, max-age=300',
        'content-type': 'application/json; charset=utf-8',
      })
    }
  })

  it.each(['', 'identity', 'deflate, zstd', 'br;q=0, gzip;q=0', 'identity, gzip;q=0.5', ';;,=,'])(
    'comes as it is to a client that takes %j',
    async (accepted) => {
      const { status, headers, body } = await post(METHODS, { 'accept-encoding': accepted })
      expect(status).toBe(200)
      expect(headers).not.toHaveProperty('content-encoding')
      expect(headers['vary']).toBe('Accept, Accept-Encoding')
      expect(JSON.parse(body.toString())).toHaveProperty('data.payinMethods.nodes')
    },
  )

  it('has a tag of its own in each coding', async () => {
    const tags = new Map<string, string>()
    for (const accepted of ['identity', 'br', 'gzip']) {
      const { headers } = await get(METHODS, { 'accept-encoding': accepted })
      tags.set(accepted, String(headers['etag']))
    }
    expect(new Set(tags.values()).size).toBe(3)
    for (const accepted of tags.keys())
      for (const [coding, tag] of tags) {
        const again = await get(METHODS, { 'accept-encoding': accepted, 'if-none-match': tag })
        expect([accepted, coding, again.status]).toEqual([accepted, coding, accepted === coding ? 304 : 200])
        expect(again.headers).toMatchObject({ vary: 'Accept, Accept-Encoding', etag: tags.get(accepted) })
        expect(codingOf(again)).toBe(again.status === 304 || accepted === 'identity' ? null : accepted)
      }
  })

  it('comes as it is where compression is off', async () => {
    const off = await startNetwork({ env: { RESPONSE_COMPRESSION: 'none' } })
    onTestFinished(() => off.close())
    const { headers } = await post(METHODS, { 'accept-encoding': 'br, gzip' }, off)
    expect(headers).not.toHaveProperty('content-encoding')
    expect(headers['vary']).toBe('Accept')
  })
})

describe('compression leaves alone', () => {
  const TAKES_ALL = { 'accept-encoding': 'br, gzip, deflate' }

  it('a small answer', async () => {
    const { headers, body } = await post(CURRENCIES, TAKES_ALL)
    expect(body.length).toBeLessThan(1_024)
    expect(headers).toMatchObject({ vary: 'Accept, Accept-Encoding', 'cache-control': 'public, max-age=3600' })
    expect(headers).not.toHaveProperty('content-encoding')
  })

  it('an answer for one caller, whatever its size', async () => {
    for (let count = 0; count < 5; count += 1) await createLink(network)
    const authorization = `Bearer ${await network.token()}`
    for (const send of [post, get]) {
      const { headers, body } = await send(LINKS, { ...TAKES_ALL, authorization })
      expect(body.length).toBeGreaterThan(1_024)
      expect(headers['cache-control']).toBe('private, no-store')
      expect(headers).not.toHaveProperty('content-encoding')
      expect(headers).not.toHaveProperty('etag')
    }
  })

  it('a public part beside one for one caller', async () => {
    const authorization = `Bearer ${await network.token()}`
    const query = `{ ${METHODS.slice(2, -2)} ${LINKS.slice(2, -2)} }`
    const { status, headers, body } = await post(query, { ...TAKES_ALL, authorization })
    expect([status, body.length > 1_024]).toEqual([200, true])
    expect(headers).not.toHaveProperty('content-encoding')
  })

  it.each(['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'])('streams as %s', async (accept) => {
    const link = await createLink(network)
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: {
        ...TAKES_ALL,
        accept,
        'content-type': 'application/json',
        authorization: `Bearer ${await network.token()}`,
      },
      body: JSON.stringify({ query: `subscription { paymentLinkUpdates(id: "${link.id}") { cursor } }` }),
    })
    expect(response.headers.get('content-encoding')).toBeNull()
    const first = await response.body?.getReader().read()
    expect(new TextDecoder().decode(first?.value)).not.toBe('')
  })
})
