import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENTS_PATH } from '../../src/http/server/graphql-exchange.ts'
import { rawExchange } from '../faults/raw-http.ts'
import { LAST, oneChunk, rawWebhook, type RawWebhook } from '../faults/raw-webhook.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput, tryCreateLink } from '../support/operations.ts'
import { deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
let token: string
beforeAll(async () => {
  network = await startNetwork({ env: { ALLOWED_HOSTS: 'evil.example.test' } })
  token = await network.token()
  await tryCreateLink(network)
})
afterAll(() => network.close())

const CHUNKED = 'Transfer-Encoding: chunked'
const QUESTION = JSON.stringify({ query: '{ paymentCurrencies { code } }' })
const links = () => network.sandbox.control.state().counters.links

type Raw = { readonly line?: string; readonly headers: readonly string[]; readonly wire: string }

const request = ({ line = 'POST /graphql HTTP/1.1', headers, wire }: Raw): string =>
  [line, 'Host: localhost', 'Content-Type: application/json', ...headers, '', wire].join('\r\n')

const withLength = (wire: string, ...headers: string[]): string =>
  request({ headers: [`Content-Length: ${Buffer.byteLength(wire)}`, ...headers], wire })

/** A complete request that would create a link if the server parsed it as one. */
const loot = (): string =>
  withLength(
    JSON.stringify({ query: CREATE_LINK, variables: { input: linkInput() } }),
    `Authorization: Bearer ${token}`,
  )

/** Ways to hide a request in another one from a parser that determines the length differently. */
const HIDING: Readonly<Record<string, (hidden: string) => string>> = {
  'a length, and chunks that end sooner': (hidden) =>
    request({ headers: [`Content-Length: ${5 + hidden.length}`, CHUNKED], wire: `0\r\n\r\n${hidden}` }),
  'two lengths': (hidden) =>
    request({ headers: ['Content-Length: 0', `Content-Length: ${hidden.length}`], wire: hidden }),
  'a coding that is nearly chunked': (hidden) =>
    request({ headers: ['Transfer-Encoding: xchunked', 'Content-Length: 0'], wire: hidden }),
  'chunked behind a bare line feed': (hidden) =>
    request({ headers: [`X: 1\n${CHUNKED}`, 'Content-Length: 0'], wire: hidden }),
  'no length at all': (hidden) => request({ headers: [], wire: hidden }),
  'a length of a question by GET': (hidden) =>
    request({ line: 'GET /health/live HTTP/1.1', headers: [`Content-Length: ${hidden.length}`], wire: hidden }),
  'chunks of a question by GET': (hidden) =>
    request({ line: 'GET /health/live HTTP/1.1', headers: [CHUNKED], wire: oneChunk(hidden) }),
  'the body of a refused type': (hidden) => withLength(hidden).replace('application/json', 'text/plain'),
  'the body at an address that is none': (hidden) => withLength(hidden).replace('/graphql', '/nowhere'),
  'the body of an address that cannot be read': (hidden) => withLength(hidden).replace('/graphql', '/%zz'),
  'the body of a body that is too large': (hidden) =>
    request({ headers: [`Content-Length: ${200_000 + hidden.length}`], wire: hidden }),
  'the body of a question that expects to go on': (hidden) => withLength(hidden, 'Expect: 100-continue'),
  'an answer to an upgrade': (hidden) => withLength(hidden, 'Connection: Upgrade', 'Upgrade: websocket'),
  'a webhook by GET': (hidden) => withLength(hidden).replace('POST /graphql', 'GET /webhooks/payments'),
  'a webhook to nobody': (hidden) => withLength(hidden).replace('/graphql', '/webhooks/payments/nobody'),
  'an unsigned webhook': (hidden) => withLength(hidden).replace('/graphql', '/webhooks/payments'),
  'a chunked webhook that is too large': (hidden) =>
    rawWebhook({ body: '{}', headers: [CHUNKED], wire: `10400\r\n${' '.repeat(0x10400)}\r\n${oneChunk(hidden)}` }),
}

// promise(http): No request hides another, and unreadable bytes are refused after the responses before them.
describe('a request that is hidden in another one', () => {
  it('would be a link, if it came by itself', async () => {
    const before = links()
    const { statuses } = await rawExchange(network.app.url, loot() + LAST)
    expect(statuses).toEqual([200, 200])
    expect(links()).toBe(before + 1)
  })

  it.each(Object.entries(HIDING))('by %s is not taken', async (_how, hide) => {
    const before = links()
    const { statuses } = await rawExchange(network.app.url, hide(loot()) + LAST, 8_000)
    expect(statuses.length).toBeGreaterThan(0)
    // A request afterwards, in case a hidden one was begun that the test did not wait for.
    await tryCreateLink(network)
    expect(links()).toBe(before + 1)
  })
})

describe('a webhook', () => {
  /** Returns the statuses of the answers to a webhook and to a probe behind it, and whether the webhook was stored. */
  async function sent(write: (body: string) => Partial<RawWebhook>) {
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const { statuses, text } = await rawExchange(network.app.url, rawWebhook({ body, ...write(body) }) + LAST)
    return { statuses, text, stored: (await deliveries(network, [uuid])).length }
  }

  it.each<[string, (body: string) => Partial<RawWebhook>]>([
    ['with a length', () => ({})],
    ['in chunks', (body) => ({ headers: [CHUNKED], wire: oneChunk(body) })],
    [
      'with a wrong signature in its trailer',
      (body) => ({ headers: [CHUNKED], wire: oneChunk(body).replace(/\r\n$/, 'HTTP-WEBHOOK-SIGNATURE: 00\r\n\r\n') }),
    ],
    ['at an absolute address', () => ({ line: 'POST http://evil.example.test/webhooks/payments HTTP/1.1' })],
    ['at an address with an escaped letter', () => ({ line: 'POST /webhooks/%70ayments HTTP/1.1' })],
  ])('%s is taken, and so is the request behind it', async (_how, write) => {
    expect(await sent(write)).toMatchObject({ statuses: [200, 200], stored: 1 })
  })

  it.each([
    [405, 'GET /webhooks/payments?_method=POST HTTP/1.1'],
    [404, 'POST /webhooks/payments/nobody HTTP/1.1'],
    [414, `POST /webhooks/payments/${'a'.repeat(10_000)} HTTP/1.1`],
  ])('is refused with %i by its first line, which is not repeated, and its connection ends', async (status, line) => {
    const { statuses, text, stored } = await sent(() => ({ line }))
    expect({ statuses, stored }).toEqual({ statuses: [status], stored: 0 })
    expect(text).toMatch(/\r\nconnection: close\r\n/i)
    expect(text).not.toMatch(/aaaa|FST_/)
  })
})

describe('requests on one connection', () => {
  it('are answered one by one, in their order', async () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      withLength(JSON.stringify({ query: `{ a${index}: paymentCurrencies { code } }` })),
    )
    const { statuses, text } = await rawExchange(network.app.url, many.join('') + LAST)
    expect(statuses).toEqual(Array.from({ length: 51 }, () => 200))
    expect(Array.from(text.matchAll(/"a(\d+)":/g), ([, index]) => Number(index))).toEqual(many.map((_, index) => index))
  })

  it('end with the first that cannot be read', async () => {
    const before = links()
    const { statuses } = await rawExchange(network.app.url, `${withLength(QUESTION)}NONSENSE\r\n\r\n${loot()}${LAST}`)
    // The first request is still being answered when the parser stops.
    expect(statuses).toEqual([200, 400])
    expect(links()).toBe(before)
  })

  it('get no body with the refusal of what cannot be read, for it may be a HEAD', async () => {
    const { text } = await rawExchange(
      network.app.url,
      'HEAD /health/ready HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n',
    )
    expect(text).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })

  it('end within an answer that has begun, without another answer in its middle', async () => {
    const query = JSON.stringify({ query: 'subscription { paymentEventStream { __typename } }' })
    const { statuses, text } = await rawExchange(network.app.url, (socket) => {
      socket.write(
        withLength(query, `Authorization: Bearer ${token}`, 'Accept: text/event-stream').replace(
          '/graphql',
          EVENTS_PATH,
        ),
      )
      socket.once('data', () => socket.write('NONSENSE\r\n\r\n'))
    })
    expect(statuses).toEqual([200])
    expect(text).toMatch(/content-type: text\/event-stream/i)
  })

  it('are not refused twice when the body of one breaks off behind its refusal', async () => {
    const { statuses } = await rawExchange(network.app.url, (socket) => {
      socket.write(request({ line: 'POST /%zz HTTP/1.1', headers: [CHUNKED], wire: '2\r\n{}\r\n' }))
      socket.once('data', () => socket.write('x\r\n'))
    })
    expect(statuses).toEqual([404])
  })

  it('that have too large a body, without an end, end with the first byte too many', async () => {
    const chunk = `${(8 * 1024).toString(16)}\r\n${' '.repeat(8 * 1024)}\r\n`
    const { statuses } = await rawExchange(network.app.url, (socket) => {
      const more = () => {
        if (socket.writable) socket.write(chunk, () => setImmediate(more))
      }
      socket.write(request({ headers: [CHUNKED], wire: '' }), more)
    })
    expect(statuses).toEqual([413])
  })
})

describe('the host that a request names', () => {
  it('is nowhere in what the payments API is told to call', async () => {
    const spoofed = {
      host: 'evil.example.test',
      'x-forwarded-host': 'evil.example.test',
      'x-forwarded-proto': 'gopher',
      forwarded: 'host=evil.example.test;proto=gopher',
      'x-original-url': 'http://evil.example.test/',
    }
    const headers = Object.entries(spoofed).map(([name, value]) => `${name}: ${value}`)
    const body = JSON.stringify({ query: CREATE_LINK, variables: { input: linkInput() } })
    const raw = withLength(body, `Authorization: Bearer ${token}`, ...headers.slice(1)).replace(
      'Host: localhost',
      headers[0] ?? '',
    )
    const { statuses } = await rawExchange(network.app.url, raw + LAST)
    expect(statuses).toEqual([200, 200])
    const told = JSON.stringify(network.sandbox.control.calls())
    expect(told).not.toContain('evil.example.test')
    expect(JSON.stringify(network.sandbox.control.state())).not.toContain('evil.example.test')
  })
})
