import { ExactNumber } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { type AttemptSeen, createTransport } from '../../../src/upstream/client/transport.ts'
import { faultOf, open, serve, SHORT, site } from './open.ts'
import { answer, refusingPort, type Script } from './scripted-service.ts'

const get = { method: 'GET', path: '/v3/payin_methods' } as const
const post = { method: 'POST', path: '/v3/payin_links', body: { amount: new ExactNumber('125.50') } } as const
const OK = answer(200, '{"ok":1.50}')
const reset: Script = (socket) => socket.resetAndDestroy()

describe('a request', () => {
  it('carries the header pair of its site, and asks for plain JSON', async () => {
    const service = await serve(OK)
    const transport = open(`${service.baseUrl}/`)
    await transport.request(site('aud'), {
      ...get,
      query: { page: 2, from_date: '2026-01-01T00:00:00', to_date: null },
    })
    await transport.request(site('jpy'), { ...get, headers: { 'Secret-Key': 'other', 'access-token': 'jwt' } })
    const [first, second] = service.requests
    expect(first?.line).toBe('GET /api/v3/payin_methods?page=2&from_date=2026-01-01T00%3A00%3A00 HTTP/1.1')
    expect(Object.fromEntries(first?.headers ?? [])).toEqual({
      host: `127.0.0.1:${service.port}`,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'app-id': 'app-aud',
      'secret-key': 'key-aud',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(second?.headers.get('app-id')).toBe('app-jpy')
    expect(second?.headers.get('secret-key')).toBe('key-jpy')
    expect(second?.headers.get('access-token')).toBe('jwt')
  })

  it('writes a number with its own digits, and reads one the same way', async () => {
    const service = await serve(OK)
    const { status, json } = await open(service.baseUrl).request(site(), post)
    expect(service.requests[0]).toMatchObject({ body: '{"amount":125.50}' })
    expect(service.requests[0]?.headers.get('content-type')).toBe('application/json')
    expect({ status, json }).toEqual({ status: 200, json: { ok: new ExactNumber('1.50') } })
  })

  it.each<[string, Record<string, string>, string?]>([
    ['a word that is no coding', { 'content-encoding': 'UTF-8' }],
    ['several of them', { 'content-encoding': 'none, utf8, identity' }],
    ['another type', { 'content-type': 'text/html; charset=utf-8' }],
    ['a byte order mark', {}, '\uFEFF'],
  ])('reads the JSON of an answer with %s', async (_name, headers, before = '') => {
    const service = await serve(answer(200, `${before}{"uuid":"é"}`, headers))
    expect(await open(service.baseUrl).request(site(), post)).toMatchObject({ json: { uuid: 'é' } })
  })

  it('uses the connections of earlier ones', async () => {
    const service = await serve(OK)
    const transport = open(service.baseUrl)
    for (let call = 0; call < 20; call += 1) await transport.request(site(), post)
    expect(service.connections()).toBeLessThanOrEqual(2)
  })

  it.each([
    'http://payments.test/api',
    'ftp://payments.test/api',
    'https://user:pass@payments.test/api',
    'https://payments.test/api?x=1',
  ])('is never sent to %s', (baseUrl) => {
    expect(() => createTransport({ baseUrl, sites: createSites([site()]) })).toThrow(TypeError)
  })

  it.each([
    ['a header that would end early', { ...get, headers: { 'access-token': 'a\r\nb: c' } }],
    ['a path that is none', { ...get, path: '/v3/payin links' }],
  ])('with %s does not leave', async (_name, request) => {
    const service = await serve(OK)
    expect((await faultOf(open(service.baseUrl).request(site(), request))).detail).toEqual({
      kind: 'not-sent',
      reason: 'invalid-request',
    })
    expect(service.connections()).toBe(0)
  })

  it('of a foreign site does not leave', async () => {
    const service = await serve(OK)
    const [foreign] = createSites([{ id: 'eur', appId: 'a', secretKey: 's', currencies: ['EUR'] }]).all
    expect((await faultOf(open(service.baseUrl).request(foreign ?? site(), get))).detail).toMatchObject({
      reason: 'invalid-request',
    })
    expect(service.connections()).toBe(0)
  })
})

describe('a retry', () => {
  it('of a GET is the same request again, up to twice', async () => {
    const service = await serve(reset, answer(503), OK)
    const seen: AttemptSeen[] = []
    const transport = open(service.baseUrl, { observe: (attempt) => seen.push(attempt) })
    expect((await transport.request(site(), get)).status).toBe(200)
    expect(new Set(service.requests.map(({ headers }) => headers.get('x-request-id'))).size).toBe(1)
    expect(seen.map(({ attempt, outcome }) => [attempt, typeof outcome === 'number' ? outcome : outcome.kind])).toEqual(
      [
        [1, 'unknown'],
        [2, 'unknown'],
        [3, 200],
      ],
    )
    expect(JSON.stringify(seen)).not.toContain('key-aud')
  })

  it('of a POST that went out never happens', async () => {
    const service = await serve(reset, OK)
    await faultOf(open(service.baseUrl).request(site(), post))
    expect(service.requests).toHaveLength(1)
  })

  it('of a POST that did not go out happens twice', async () => {
    const attempts: number[] = []
    const transport = open(`http://127.0.0.1:${await refusingPort()}/api`, {
      observe: ({ attempt }) => attempts.push(attempt),
    })
    await faultOf(transport.request(site(), post))
    expect(attempts).toEqual([1, 2, 3])
  })

  it('does not wait past the deadline', async () => {
    const service = await serve(answer(429, '', { 'retry-after': '60' }), OK)
    expect((await faultOf(open(service.baseUrl).request(site(), get))).detail).toMatchObject({
      kind: 'throttled',
      retryAfterSeconds: 60,
    })
    expect(service.requests).toHaveLength(1)
  })
})

describe('concurrency', () => {
  it('is 20 for a site; the others wait, and other sites do not notice', async () => {
    const held: (() => void)[] = []
    let holding = true
    let inFlight = 0
    let most = 0
    const hold: Script = (socket, request) => {
      inFlight += 1
      most = Math.max(most, inFlight)
      const reply = (): void => {
        inFlight -= 1
        OK(socket, request)
      }
      if (holding && request.headers.get('app-id') === 'app-aud') held.push(reply)
      else reply()
    }
    const service = await serve(hold)
    const transport = open(service.baseUrl)
    const calls = Array.from({ length: 50 }, () => transport.request(site('aud'), post))
    await service.arrived(20)
    await transport.request(site('jpy'), post)
    expect(held).toHaveLength(20)
    holding = false
    for (const reply of held) reply()
    await Promise.all(calls)
    expect(service.requests).toHaveLength(51)
    expect(most).toBe(21)
  })

  it('ends the wait for a slot with the certainty that nothing was sent', async () => {
    const service = await serve(() => undefined)
    const transport = open(service.baseUrl, { deadlines: { ...SHORT, postSlot: 50 }, limits: { concurrentPerSite: 1 } })
    const first = faultOf(transport.request(site(), post))
    const second = await faultOf(transport.request(site(), post))
    expect(second.detail).toEqual({ kind: 'not-sent', reason: 'no-slot' })
    expect((await first).detail).toMatchObject({ kind: 'unknown', reason: 'timeout' })
    expect(service.requests).toHaveLength(1)
  })

  it('makes no further attempt at a POST once the time for its slot is over', async () => {
    const service = await serve(OK)
    await service.close()
    const attempts: number[] = []
    const opened = (postSlot: number) =>
      open(service.baseUrl, { deadlines: { postSlot }, observe: ({ attempt }) => attempts.push(attempt) })
    const fault = await faultOf(opened(5_000).request(site(), post))
    expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'refused' })
    expect(attempts.splice(0)).toEqual([1, 2, 3])
    await faultOf(opened(0).request(site(), post))
    expect(attempts).toEqual([1])
  })

  it('counts the time for a slot from the start that the request names', async () => {
    const service = await serve(() => undefined)
    const transport = open(service.baseUrl, { limits: { concurrentPerSite: 1 } })
    const running = faultOf(transport.request(site(), { ...post, withinMs: 500 }))
    const late = { ...post, startedAt: performance.now() - 4_000 }
    expect((await faultOf(transport.request(site(), late))).detail).toEqual({ kind: 'not-sent', reason: 'no-slot' })
    expect(service.requests.length).toBeLessThanOrEqual(1)
    await running
  })

  it('frees the slot of a request that failed', async () => {
    const service = await serve(reset, () => undefined, OK)
    const transport = open(service.baseUrl, { deadlines: SHORT, limits: { concurrentPerSite: 1 } })
    await faultOf(transport.request(site(), post))
    await faultOf(transport.request(site(), post))
    expect((await transport.request(site(), post)).status).toBe(200)
  })
})

it('a request with less time than the deadline ends with its own', async () => {
  const service = await serve(OK, () => undefined)
  const transport = open(service.baseUrl)
  // The first one opens the connection, which takes long on a slow machine.
  await transport.request(site(), post)
  const fault = await faultOf(transport.request(site(), { ...post, withinMs: 50 }))
  expect(fault.detail).toMatchObject({ kind: 'unknown', reason: 'timeout' })
  expect(service.requests).toHaveLength(2)
})

it('closing lets a running request end, and takes no new one', async () => {
  const held = Promise.withResolvers<() => void>()
  const service = await serve((socket, request) => held.resolve(() => OK(socket, request)))
  const transport = open(service.baseUrl)
  const running = transport.request(site(), post)
  const reply = await held.promise
  const closed = transport.close()
  expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'closed' })
  reply()
  expect((await running).status).toBe(200)
  await closed
})
