import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseExactJson } from '../../../src/domain/exact-json.ts'
import type { UpstreamRequest } from '../../../src/upstream/wire-request.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { faultOf, open, serve, SHORT, site } from './open.ts'
import { answer, refusingPort, type Script } from './scripted-service.ts'

const post: UpstreamRequest = { method: 'POST', path: '/v3/payin_links', body: {} }
const silence: Script = () => undefined
const GZIP = gzipSync('{"ok":true}')
const MEGABYTE = 1_048_576

const raw =
  (...parts: (string | Buffer)[]): Script =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

const andEnd =
  (script: Script): Script =>
  (socket, request) => {
    script(socket, request)
    socket.end()
  }

const drip =
  (status: number): Script =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status} Slow\r\ncontent-length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write(' '), 20)
    socket.on('close', () => clearInterval(timer))
  }

const resetMidBody: Script = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"uuid":', () => socket.resetAndDestroy())
}

describe('an answer that leaves the outcome of a POST open', () => {
  it.each<[string, Script, object]>([
    ['no answer', silence, { reason: 'timeout', httpStatus: null }],
    ['slow headers', raw('HTTP/1.1 200 OK\r\nx-slow:'), { reason: 'timeout', httpStatus: null }],
    ['a body of one byte at a time', drip(200), { reason: 'timeout', httpStatus: 200 }],
    ['closed without an answer', (socket) => socket.end(), { reason: 'reset', httpStatus: null }],
    ['reset without an answer', (socket) => socket.resetAndDestroy(), { reason: 'reset', httpStatus: null }],
    ['reset within the body', resetMidBody, { reason: 'reset', httpStatus: 200 }],
    ['no HTTP at all', raw('SSH-2.0-OpenSSH\r\n\r\n'), { reason: 'reset', httpStatus: null }],
    ['truncated JSON', answer(200, '{"uuid":"7AMC'), { reason: 'not-json', httpStatus: 200 }],
    [
      'a length above the body',
      andEnd(answer(200, '{}', { 'content-length': '50' })),
      { reason: 'reset', httpStatus: 200 },
    ],
    [
      'a length below the body',
      answer(200, '{"a":1}', { 'content-length': '3' }),
      { reason: 'not-json', httpStatus: 200 },
    ],
    [
      'an HTML page',
      answer(200, '<html>ok</html>', { 'content-type': 'text/html' }),
      { reason: 'not-json', httpStatus: 200 },
    ],
    ['an empty 200', answer(200), { reason: 'empty', httpStatus: 200 }],
    ['204', raw('HTTP/1.1 204 No Content\r\n\r\n'), { reason: 'empty', httpStatus: 204 }],
    ['502 as HTML', answer(502, '<html>bad gateway</html>'), { reason: 'server-error', httpStatus: 502 }],
    ['500 as JSON', answer(500, '{"message":"oops"}'), { reason: 'server-error', httpStatus: 500 }],
    [
      '503 with a wait',
      answer(503, '', { 'retry-after': '9' }),
      { reason: 'server-error', httpStatus: 503, retryAfterSeconds: 9 },
    ],
    [
      'gzip',
      raw(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${GZIP.length}\r\n\r\n`, GZIP),
      { reason: 'encoded', httpStatus: 200 },
    ],
    [
      'invalid UTF-8',
      raw('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n', Buffer.from([0x22, 0xff, 0x22])),
      { reason: 'not-utf8', httpStatus: 200 },
    ],
    [
      'a length above 1 MB',
      answer(200, '{', { 'content-length': `${MEGABYTE + 1}` }),
      { reason: 'too-large', httpStatus: 200 },
    ],
    [
      'headers above 16 KB',
      raw(`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(20_000)}\r\n\r\n{}`),
      { reason: 'reset', httpStatus: null },
    ],
    ['nesting of 100 000', answer(200, '['.repeat(100_000)), { reason: 'not-json', httpStatus: 200 }],
  ])('%s', async (_name, script, expected) => {
    const service = await serve(script)
    const start = performance.now()
    const fault = await faultOf(open(service.baseUrl, { deadlines: SHORT }).request(site(), post))
    expect(fault.detail).toMatchObject({ kind: 'unknown', ...expected })
    expect(performance.now() - start).toBeLessThan(SHORT.post + 500)
    expect(service.requests).toHaveLength(1)
  })

  it('a body without end costs no more than the limit', async () => {
    const closed = Promise.withResolvers<void>()
    let written = 0
    const flood: Script = (socket) => {
      socket.on('close', () => closed.resolve())
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
      const push = (): void => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length
      }
      socket.on('drain', push)
      push()
    }
    const service = await serve(flood)
    const before = process.memoryUsage().rss
    const fault = await faultOf(open(service.baseUrl).request(site(), post))
    await closed.promise
    expect(fault.detail).toMatchObject({ kind: 'unknown', reason: 'too-large' })
    expect(written).toBeLessThan(20 * MEGABYTE)
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MEGABYTE)
  })

  it('headers that take longer than they may end the wait before the deadline', async () => {
    const service = await serve(silence)
    const start = performance.now()
    const transport = open(service.baseUrl, { deadlines: { headers: 100 } })
    expect((await faultOf(transport.request(site(), post))).detail).toMatchObject({
      kind: 'unknown',
      reason: 'timeout',
    })
    expect(performance.now() - start).toBeLessThan(600)
  })

  it.each([301, 302, 303, 307, 308])('%i: the other address is never asked', async (status) => {
    const other = await serve(answer(200, '{}'))
    const service = await serve(answer(status, '', { location: `${other.baseUrl}/v3/payin_links` }))
    for (const request of [post, { method: 'GET', path: '/v3/payin_methods' } as const])
      expect((await faultOf(open(service.baseUrl).request(site(), request))).detail).toMatchObject({
        kind: 'unknown',
        reason: 'redirect',
        httpStatus: status,
      })
    expect(other.connections()).toBe(0)
  })
})

describe('an answer that says no', () => {
  it.each<[string, Script, object]>([
    ['401', answer(401, fixtureText('error-401')), { kind: 'credentials', httpStatus: 401, site: 'aud' }],
    ['401 without a body', answer(401), { kind: 'credentials', httpStatus: 401, site: 'aud' }],
    ['403', answer(403, '<html>'), { kind: 'credentials', httpStatus: 403, site: 'aud' }],
    ['400 without a body', answer(400), { kind: 'refused', httpStatus: 400, code: null, message: null, fields: [] }],
    ['404', answer(404, '{"errors":{"message":"gone"}}'), { kind: 'refused', httpStatus: 404, message: 'gone' }],
    [
      '422 by field',
      answer(422, fixtureText('error-422-map')),
      { kind: 'refused', fields: [{ path: 'refund_amount' }, { path: 'amount' }, { path: 'amount' }] },
    ],
    [
      '422 by message',
      answer(422, fixtureText('error-422-message')),
      { kind: 'refused', message: expect.stringMatching(/bank account/), fields: [] },
    ],
    [
      '429 with seconds',
      answer(429, '', { 'retry-after': '30' }),
      { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 30 },
    ],
    ['429 without', answer(429), { kind: 'throttled', httpStatus: 429, retryAfterSeconds: null }],
    [
      '422 whose body breaks off',
      andEnd(answer(422, '{"errors":', { 'content-length': '500' })),
      { kind: 'refused', httpStatus: 422, message: null },
    ],
    ['422 whose body never ends', drip(422), { kind: 'refused', httpStatus: 422 }],
    [
      '400 in gzip',
      raw(`HTTP/1.1 400 Bad\r\ncontent-encoding: gzip\r\ncontent-length: ${GZIP.length}\r\n\r\n`, GZIP),
      { kind: 'refused', httpStatus: 400 },
    ],
  ])('%s is certain', async (_name, script, expected) => {
    const service = await serve(script)
    const fault = await faultOf(open(service.baseUrl, { deadlines: SHORT }).request(site(), post))
    expect(fault.detail).toMatchObject(expected)
    expect(fault.message).not.toMatch(/html|blank|bank|gone|Authorised/)
    expect(service.requests).toHaveLength(1)
  })
})

describe('a service that cannot be reached', () => {
  it('refuses the connection', async () => {
    const transport = open(`http://127.0.0.1:${await refusingPort()}/api`)
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'refused' })
  })

  it('has no address', async () => {
    const transport = open('https://payments.invalid/api')
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'dns' })
  })

  it('does not end its side of the TLS handshake', async () => {
    const service = await serve(silence)
    const start = performance.now()
    const transport = open(service.baseUrl.replace('http:', 'https:'), { deadlines: SHORT })
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({
      kind: 'not-sent',
      reason: 'connect-timeout',
    })
    expect(performance.now() - start).toBeLessThan(SHORT.post + 500)
  })

  it('does not speak TLS', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => socket.destroy()).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const transport = open(`https://127.0.0.1:${(server.address() as AddressInfo).port}/api`)
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'tls' })
  })
})

it('takes an answer of just under 1 MB', async () => {
  const text = JSON.stringify({ a: 'x'.repeat(MEGABYTE - 10) })
  const service = await serve(answer(200, text))
  const { json } = await open(service.baseUrl).request(site(), post)
  expect(json).toEqual(parseExactJson(text))
})
