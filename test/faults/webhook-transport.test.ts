import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { deliveries, paymentBody } from '../support/webhooks.ts'
import { rawExchange } from './raw-http.ts'
import { LAST, oneChunk, rawWebhook, type RawWebhook } from './raw-webhook.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

type Made = (body: string, length: number) => Omit<RawWebhook, 'body'>

const CHUNKED = 'Transfer-Encoding: chunked'
const withHeaders =
  (...headers: string[]): Made =>
  (_body, length) => ({ headers: [...headers, `Content-Length: ${length}`] })
const withLine =
  (line: string): Made =>
  () => ({ line })
const chunked =
  (...headers: string[]): Made =>
  (body) => ({ headers, wire: oneChunk(body) })
const inChunks =
  (wire: (body: string, hex: string) => string): Made =>
  (body, length) => ({ headers: [CHUNKED], wire: wire(body, length.toString(16)) })

/** Accepted; the connection continues with the next request. */
const TAKEN: Readonly<Record<string, Made>> = {
  'with a length': withHeaders(),
  'in chunks': chunked(CHUNKED),
  'in chunks, told in capitals': chunked('TRANSFER-ENCODING: CHUNKED'),
  'in chunks with a note': inChunks((body, hex) => `${hex};note=1\r\n${body}\r\n0\r\n\r\n`),
  'with a signature in the trailer that is wrong': inChunks(
    (body, hex) => `${hex}\r\n${body}\r\n0\r\nHTTP-WEBHOOK-SIGNATURE: 00\r\n\r\n`,
  ),
  'at an absolute address': withLine('POST http://payments.example.test/webhooks/payments HTTP/1.1'),
  'at an absolute address of another host': withLine('POST http://evil.example.test/webhooks/payments HTTP/1.1'),
  'at an address with an escaped letter': withLine('POST /webhooks/%70ayments HTTP/1.1'),
  'compressed by name': withHeaders('Content-Encoding: gzip'),
  'with two encodings': withHeaders('Content-Encoding: identity', 'Content-Encoding: br'),
  'with two types': withHeaders('Content-Type: text/plain'),
  'with a method that other headers would override': withHeaders(
    'X-HTTP-Method-Override: GET',
    'X-Method-Override: DELETE',
  ),
}

/** Rejected before the body is requested; the connection ends with the answer. */
const REFUSED: Readonly<Record<string, [number, Made]>> = {
  'by GET, whatever overrides it': [
    405,
    (_body, length) => ({
      line: 'GET /webhooks/payments HTTP/1.1',
      headers: ['X-HTTP-Method-Override: POST', `Content-Length: ${length}`],
    }),
  ],
  'by GET with a method in its address': [405, withLine('GET /webhooks/payments?_method=POST HTTP/1.1')],
  'by OPTIONS': [405, withLine('OPTIONS /webhooks/payments HTTP/1.1')],
  'by TRACE': [405, withLine('TRACE /webhooks/payments HTTP/1.1')],
  'by QUERY': [405, withLine('QUERY /webhooks/payments HTTP/1.1')],
  'longer than may be': [413, () => ({ headers: ['Content-Length: 65537'] })],
  'longer than any number': [413, () => ({ headers: ['Content-Length: 9007199254740993'] })],
  'of no known address': [404, withLine('POST /webhooks/payments/nobody HTTP/1.1')],
  'at the address of a stranger': [404, withLine('POST /webhooks/payments/ HTTP/1.1')],
}

/** HTTP that can be read in several ways: rejected by the parser, and nothing more is read from the connection. */
const MISSHAPEN: Readonly<Record<string, Made>> = {
  'with a length and in chunks': (body, length) => ({
    headers: [`Content-Length: ${length}`, CHUNKED],
    wire: oneChunk(body),
  }),
  'in chunks and with a length': (body, length) => ({
    headers: [CHUNKED, `Content-Length: ${length}`],
    wire: oneChunk(body),
  }),
  'in chunks and with a length of 4': (body) => ({ headers: [CHUNKED, 'Content-Length: 4'], wire: oneChunk(body) }),
  'with two equal lengths': (_body, length) => ({
    headers: [`Content-Length: ${length}`, `Content-Length: ${length}`],
  }),
  'with two lengths': (_body, length) => ({ headers: [`Content-Length: ${length}`, 'Content-Length: 0'] }),
  ...Object.fromEntries(
    [
      (length: number) => `${length}, ${length}`,
      (length: number) => `+${length}`,
      (length: number) => `0x${length.toString(16)}`,
      (length: number) => `${length} 0`,
      () => '-1',
      () => '1e2',
      () => '',
      () => '9'.repeat(23),
    ].map((write): [string, Made] => [
      `with the length ${JSON.stringify(write(99))}`,
      (_body, length) => ({ headers: [`Content-Length: ${write(length)}`] }),
    ]),
  ),
  'with a blank before a colon': (_body, length) => ({ headers: [`Content-Length : ${length}`] }),
  'with a length on the next line': (_body, length) => ({ headers: [`Content-Length:\r\n ${length}`] }),
  'with a header on two lines': withHeaders('X-Note: a\r\n b'),
  ...Object.fromEntries(
    [
      'xchunked',
      'identity',
      'chunked, identity',
      'chunked, chunked',
      '\u000bchunked',
      '"chunked"',
      `chunked\r\n${CHUNKED}`,
    ].map((coding): [string, Made] => [
      `in the coding ${JSON.stringify(coding)}`,
      chunked(`Transfer-Encoding: ${coding}`),
    ]),
  ),
  'in chunks, with a blank before the colon': chunked('Transfer-Encoding : chunked'),
  'in chunks that end in bare line feeds': inChunks((body, hex) => `${hex}\n${body}\n0\n\n`),
  'in chunks with a note that ends in a line feed': inChunks((body, hex) => `${hex};\n${body}\r\n0\r\n\r\n`),
  'in chunks with an endless note': inChunks(
    (body, hex) => `${hex};note=${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
  ),
  'in a chunk with a prefix': inChunks((body, hex) => `0x${hex}\r\n${body}\r\n0\r\n\r\n`),
  'in a chunk below nothing': inChunks((body) => `-5\r\n${body}\r\n0\r\n\r\n`),
  'in a chunk beyond any size': inChunks((body) => `${'f'.repeat(18)}\r\n${body}\r\n0\r\n\r\n`),
  'in a chunk longer than it says': inChunks(
    (body, hex) => `${(Number.parseInt(hex, 16) - 3).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ),
  'with a length in the trailer': inChunks((body, hex) => `${hex}\r\n${body}\r\n0\r\nContent-Length: 5\r\n\r\n`),
  'with a NUL in a header': withHeaders('X-Note: a\0b'),
  'in HTTP/1.2': withLine('POST /webhooks/payments HTTP/1.2'),
  'by a method in small letters': withLine('post /webhooks/payments HTTP/1.1'),
  'by a method that is none': withLine('STORE /webhooks/payments HTTP/1.1'),
}

/** Creates a request with a new uuid, so that a stored delivery can be identified. */
function prepare(made: Made): { uuid: string; raw: string } {
  const uuid = randomUUID()
  const body = paymentBody({ uuid })
  return { uuid, raw: rawWebhook({ body, ...made(body, Buffer.byteLength(body)) }) }
}

/** Returns which of these payments have a stored delivery. */
async function stored(...uuids: string[]): Promise<string[]> {
  const kept = new Set((await deliveries(network, uuids)).map(({ subjectId }) => subjectId))
  return uuids.filter((uuid) => kept.has(uuid))
}

describe('a webhook', () => {
  it.each(Object.entries(TAKEN))('%s is taken, and so is the one behind it', async (_what, made) => {
    const [one, other] = [prepare(made), prepare(made)]
    const { statuses } = await rawExchange(network.app.url, one.raw + other.raw + LAST)
    expect(statuses).toEqual([200, 200, 200])
    expect(await stored(one.uuid, other.uuid)).toEqual([one.uuid, other.uuid])
  })

  it.each(Object.entries(REFUSED))('%s is refused, and its connection ends', async (_what, [status, made]) => {
    const { uuid, raw } = prepare(made)
    const { statuses, text } = await rawExchange(network.app.url, raw + LAST)
    expect(statuses).toEqual([status])
    expect(text).toMatch(/\r\nconnection: close\r\n/i)
    expect(text).toMatch(/\r\n\r\nrefused$/)
    expect(await stored(uuid)).toEqual([])
  })

  it.each(Object.entries(MISSHAPEN))(
    '%s is refused with 400, and what follows on its connection is not heard',
    async (_what, made) => {
      const [one, other] = [prepare(made), prepare(withHeaders())]
      const { statuses } = await rawExchange(network.app.url, one.raw + other.raw + LAST)
      expect(statuses).toEqual([400])
      expect(await stored(one.uuid, other.uuid)).toEqual([])
    },
  )

  it('without a length is refused as an empty one, and what follows on its connection is not heard', async () => {
    const [one, other] = [prepare(() => ({ headers: [] })), prepare(withHeaders())]
    const { statuses } = await rawExchange(network.app.url, one.raw + other.raw + LAST)
    expect(statuses).toEqual([401, 400])
    expect(await stored(one.uuid, other.uuid)).toEqual([])
  })

  it.each<[string, (raw: string) => string]>([
    ['bare line feeds', (raw) => raw.replaceAll('\r\n', '\n')],
    ['one bare line feed', (raw) => raw.replace('\r\nContent-Type', '\nContent-Type')],
    ['one bare carriage return', (raw) => raw.replace('\r\nContent-Type', '\rContent-Type')],
    ['one carriage return too many', (raw) => raw.replace('\r\nContent-Type', '\r\r\nContent-Type')],
    ['no host', (raw) => raw.replace(/Host: .*\r\n/, '')],
  ])('with %s is refused with 400', async (_what, written) => {
    const { uuid, raw } = prepare(withHeaders())
    const { statuses } = await rawExchange(network.app.url, written(raw) + LAST)
    expect(statuses[0]).toBe(400)
    expect(await stored(uuid)).toEqual([])
  })

  it.each<[string, number[], Made]>([
    ['whose address is endless', [431], withLine(`POST /webhooks/payments/${'a'.repeat(20_000)} HTTP/1.1`)],
    ['whose address is too long', [414], withLine(`POST /webhooks/payments/${'a'.repeat(10_000)} HTTP/1.1`)],
    ['whose address cannot be read', [404, 200], withLine('POST /webhooks/payments/%zz HTTP/1.1')],
    ['with an endless header', [431], withHeaders(`X-Note: ${'x'.repeat(20_000)}`)],
    ['with 3,000 headers', [431], withHeaders(...Array.from({ length: 3_000 }, (_, index) => `X-${index}: 1`))],
    ['that expects something odd', [417, 200], withHeaders('Expect: 200-ok')],
  ])('%s is answered %j, and nothing of it is stored or said again', async (_what, expected, made) => {
    const { uuid, raw } = prepare(made)
    const { statuses, text } = await rawExchange(network.app.url, raw + LAST)
    expect(statuses.slice(0, expected.length)).toEqual(expected)
    expect(text).not.toMatch(/aaaa|%zz|xxxx|FST_/)
    expect(await stored(uuid)).toEqual([])
  })

  it.each<[string, Made]>([
    ...['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0'].map((version): [string, Made] => [
      `in ${version}`,
      withLine(`POST /webhooks/payments ${version}`),
    ]),
    ...['websocket', 'WebSocket', 'h2c', 'TLS/1.0', 'h2c, websocket', 'HTTP/3.0', 'nonsense'].map(
      (protocol): [string, Made] => [
        `that would go on in ${protocol}`,
        withHeaders('Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMA'),
      ],
    ),
  ])('%s is one request, and ends its connection', async (_what, made) => {
    const { uuid, raw } = prepare(made)
    const { statuses } = await rawExchange(network.app.url, raw)
    expect(statuses).toEqual([200])
    expect(await stored(uuid)).toEqual([uuid])
  })

  it('that asks before it sends its body is told to go on', async () => {
    const { uuid, raw } = prepare(withHeaders('Expect: 100-continue'))
    const head = raw.slice(0, raw.indexOf('\r\n\r\n') + 4)
    const { statuses } = await rawExchange(network.app.url, (socket) => {
      socket.write(head)
      socket.once('data', () => socket.write(raw.slice(head.length) + LAST))
    })
    expect(statuses).toEqual([100, 200, 200])
    expect(await stored(uuid)).toEqual([uuid])
  })

  it('may be one of fifty that are sent at once on one connection', async () => {
    const many = Array.from({ length: 50 }, () => prepare(withHeaders()))
    const { statuses } = await rawExchange(network.app.url, many.map(({ raw }) => raw).join('') + LAST)
    expect(statuses).toEqual(Array.from({ length: 51 }, () => 200))
    expect(await stored(...many.map(({ uuid }) => uuid))).toHaveLength(50)
  })
})

describe('a request in the body of a refused one', () => {
  it.each<[string, number, string, string[]]>([
    ['by GET', 405, 'GET /webhooks/payments HTTP/1.1', []],
    ['to nobody', 404, 'POST /webhooks/payments/nobody HTTP/1.1', []],
    ['unsigned', 401, 'POST /webhooks/payments HTTP/1.1', []],
  ])('%s is never taken for one', async (_what, status, line, headers) => {
    const inner = prepare(withHeaders())
    const outer = [
      line,
      'Host: localhost',
      ...headers,
      `Content-Length: ${Buffer.byteLength(inner.raw)}`,
      '',
      inner.raw,
    ].join('\r\n')
    for (const cut of [0, 40, outer.indexOf('\r\n\r\n') + 4, outer.length - 10]) {
      const { statuses } = await rawExchange(network.app.url, (socket) => {
        socket.setNoDelay(true)
        if (cut > 0) socket.write(outer.slice(0, cut))
        setImmediate(() => socket.write(outer.slice(cut) + LAST))
      })
      expect(statuses[0]).toBe(status)
      expect(statuses.slice(1).every((next) => next === 200)).toBe(true)
    }
    expect(await stored(inner.uuid)).toEqual([])
  })

  it('chunked and too large is never taken for one', async () => {
    const inner = prepare(withHeaders())
    const chunk = `${(1024).toString(16)}\r\n${' '.repeat(1024)}\r\n`
    const outer = rawWebhook({ body: '{}', headers: [CHUNKED], wire: chunk.repeat(65) + oneChunk(inner.raw) })
    const { statuses } = await rawExchange(network.app.url, outer + LAST)
    expect(statuses[0]).toBe(413)
    expect(await stored(inner.uuid)).toEqual([])
  })
})
